package svc

// This file describes the events that a service sends, for receivers: the member webhooks of OpenAPI
// documents, from 3.1 on.

// webhookParameters are the headers of a webhook by Standard Webhooks 1.0.0; see webhook.go.
const webhookParameters = `[{"name":"webhook-id","in":"header","description":"The id of the event, which is the same each time that it is sent. ` +
	`Act once for each id.","required":true,"schema":{"type":"string"}},` +
	`{"name":"webhook-timestamp","in":"header","description":"When this request was sent, in seconds since 1970.","required":true,"schema":{"type":"string","pattern":"^[0-9]+$"}},` +
	`{"name":"webhook-signature","in":"header","description":"Signatures of the id, the timestamp and the body, by Standard Webhooks 1.0.0, with a space between them.",` +
	`"required":true,"schema":{"type":"string"}}]`

// writeWebhooks writes the events of the service.
func (b *apiBuilder) writeWebhooks() {
	for _, m := range b.service.webhooks {
		if b.webhooks == nil {
			b.webhooks = make(map[string][]byte)
		}
		b.webhooks[m.eventName()] = object("post", b.webhookOperation(m))
	}
}

// webhookOperation returns the Operation Object of an event. Its list of security is empty, or
// receivers would need the credentials of the service.
func (b *apiBuilder) webhookOperation(m *method) []byte {
	id := firstFree(m.operationID(), "_", func(id string) bool { return b.used.operations[id] })
	b.used.operations[id] = true
	return object(
		"summary", m.summary(), "description", b.textBeside(m.summary(), m.describe()), "operationId", id,
		"parameters", []byte(webhookParameters),
		"requestBody", object("required", true, "content", contentWith(contentTypeJSON, b.writer.appendShape(nil, m.out))),
		"responses", object("2XX", object("description", "The receiver has the event. After any other answer it is sent again.")),
		"deprecated", m.deprecated, "security", [][]byte{})
}
