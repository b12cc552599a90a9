package svc

import (
	"encoding/json"
	"testing"
)

// Verify that each row of schemes has what documents and responses need. Without a challenge, a
// 401 would break RFC 9110, section 11.6.1.
func TestSchemeRows(t *testing.T) {
	for _, row := range schemes {
		t.Run(row.Name, func(t *testing.T) {
			for column, value := range map[string]string{"contract": row.contract, "challenge": row.challenge, "Noun": row.Noun, "Curl": row.Curl} {
				if value == "" {
					t.Errorf("%s is empty", column)
				}
			}
			s := Scheme{Type: row.Name}
			if !json.Valid(s.describe(nil).object) {
				t.Errorf("the object is no JSON: %s", row.object)
			}
			if asked := row.Header != ""; asked != (row.Label != "") || asked != (row.Secret != "") {
				t.Errorf("Header, Label and Secret must be set together: %+v", row)
			}
			isToken := row.Prefix == "Bearer "
			if isToken != (row.challenge == bearerToken) {
				t.Errorf("the challenge is %q, and the credential is sent behind %q", row.challenge, row.Prefix)
			}
		})
	}
}
