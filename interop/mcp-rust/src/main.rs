//! What rmcp, the Rust SDK of MCP, makes of the fixture, the template and the kitchen, over
//! HTTP and over standard input and output, by each way in which it begins a connection.
//! Usage: svc-mcp-rust-interop FIXTURE TEMPLATE KITCHEN

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Fails with a text unless the condition holds.
macro_rules! ensure {
    ($ok:expr, $($text:tt)+) => { if !$ok { return Err(format!($($text)+).into()); } };
}

/// A server that runs, and the program that serves standard input and output.
struct Server {
    url: String,
    program: String,
    stdio: &'static str, // the flag for it
    _process: Child,     // ends with the program
}

impl Server {
    async fn start(program: &str, stdio: &'static str) -> Result<Server, Failure> {
        let mut process =
            Command::new(program).args(["-addr", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn()?;
        let mut lines = BufReader::new(process.stdout.take().ok_or("no output")?).lines();
        while let Some(line) = lines.next_line().await? {
            let Some((_, rest)) = line.split_once("http://") else { continue };
            let host: String = rest.chars().take_while(|c| !c.is_whitespace() && *c != '/').collect();
            let url = format!("http://{host}/mcp");
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} }); // its log
            return Ok(Server { url, program: program.into(), stdio, _process: process });
        }
        Err(format!("{program} does not start").into())
    }
}

/// Answers the questions of a server, and hears of the progress of calls.
#[derive(Clone, Default)]
struct Person {
    asked: Arc<Mutex<Vec<String>>>,
    /// What to say when the template wants to archive.
    says: Arc<Mutex<Vec<ElicitResult>>>,
    progress: Arc<Mutex<Vec<f64>>>,
}

fn accept(content: Value) -> ElicitResult {
    ElicitResult::new(ElicitationAction::Accept).with_content(content)
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::new());
        ClientConfig::new(capabilities, Implementation::new("svc-interop", "1"))
    }

    async fn create_elicitation(&self, request: ElicitRequestParams, _: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Err(ErrorData::invalid_params("not a form", None));
        };
        self.asked.lock().unwrap().push(message.clone());
        Ok(match &message {
            m if m.contains("off the list") => self.says.lock().unwrap().remove(0),
            m if m.contains("confirm") => ElicitResult::new(ElicitationAction::Decline),
            m if m.contains("color") => accept(json!({"color": "red"})),
            m if m.contains("sure") => accept(json!({"ok": true})),
            _ => accept(json!({"name": "Ada"})),
        })
    }

    async fn on_progress(&self, report: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(report.progress);
    }
}

type Client<H> = RunningService<RoleClient, H>;

/// The ways in which rmcp begins: as it is configured by default, and those of 2026-07-28.
fn ways() -> [(&'static str, Option<ClientLifecycleMode>); 3] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25];
    let auto = ClientLifecycleMode::Auto { preferred_versions: preferred_versions.clone(), legacy_version: None };
    [("default", None), ("auto", Some(auto)), ("discover", Some(ClientLifecycleMode::Discover { preferred_versions }))]
}

async fn connect<H: ClientHandler>(server: &Server, http: bool, way: Option<ClientLifecycleMode>, handler: H) -> Result<Client<H>, Failure> {
    let wanted = if way.is_none() { "2025-11-25" } else { "2026-07-28" };
    let client = if http {
        let transport = StreamableHttpClientTransport::from_uri(server.url.clone());
        match way {
            None => handler.serve(transport).await?,
            Some(way) => handler.serve_with_lifecycle(transport, way).await?,
        }
    } else {
        let mut command = Command::new(&server.program);
        command.arg(server.stdio);
        let (transport, _) = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn()?;
        match way {
            None => handler.serve(transport).await?,
            Some(way) => handler.serve_with_lifecycle(transport, way).await?,
        }
    };
    let agreed = client.peer_info().ok_or("no server info")?.protocol_version.to_string();
    ensure!(agreed == wanted, "agreed on {agreed}, want {wanted}");
    Ok(client)
}

fn request(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap_or_default())
}

/// The text of a result, and whether the call failed.
async fn call<H: ClientHandler>(client: &Client<H>, tool: &'static str, arguments: Value) -> Result<(bool, String), Failure> {
    let result = client.call_tool(request(tool, arguments)).await?;
    let text = match result.content.first() {
        Some(ContentBlock::Text(block)) => block.text.clone(),
        Some(ContentBlock::Resource(block)) => text_of(&block.resource)?,
        Some(ContentBlock::Image(block)) => block.mime_type.clone(),
        Some(ContentBlock::Audio(block)) => block.mime_type.clone(),
        other => return Err(format!("{tool} answers with {other:?}").into()),
    };
    Ok((result.is_error == Some(true), text))
}

fn text_of(contents: &ResourceContents) -> Result<String, Failure> {
    match contents {
        ResourceContents::TextResourceContents { text, .. } => Ok(text.clone()),
        other => Err(format!("not a text: {other:?}").into()),
    }
}

/// Calls a tool and compares the beginning of what it says.
async fn expect<H: ClientHandler>(client: &Client<H>, tool: &'static str, arguments: Value, failed: bool, text: &str) -> Result<String, Failure> {
    let got = call(client, tool, arguments.clone()).await?;
    ensure!(got.0 == failed && got.1.starts_with(text), "{tool} {arguments}: {got:?}, want {text}");
    Ok(got.1)
}

/// Does what a client can do.
async fn exercise(client: &Client<Person>) -> Result<(), Failure> {
    let tools = client.list_all_tools().await?;
    ensure!(tools.len() == 42, "{} tools", tools.len());
    let shapes = json!({"first": {"kind": "circle", "radius": 2}, "rest": [{"kind": "dot"}]});
    for (tool, arguments, failed, text) in [
        ("test_add_numbers", json!({"a": 1, "b": 2}), false, r#"{"sum":3}"#),
        (
            "test_add_numbers",
            json!({"a": "one"}),
            true,
            "INVALID_ARGUMENT: invalid input: /a must be a number, is a string (and 1 more)\n- /a must be a number, is a string\n- /b is required",
        ),
        (
            "test_add_numbers",
            json!({"a": 1, "b": 2, "B_": 3}),
            true,
            "INVALID_ARGUMENT: invalid input: /B_ is not a known property; did you mean \"b\"?",
        ),
        ("test_header_tool", json!({"region": "Zürich"}), false, r#"{"region":"Zürich"}"#),
        ("test_draw", shapes, false, r#"{"first":{"kind":"circle","radius":2},"rest":[{"kind":"dot"}]}"#),
        ("test_draw", json!({"first": {"kind": "line"}}), true, "INVALID_ARGUMENT: invalid input: /first/kind must be one of circle, square, dot"),
        ("test_get_picture", json!({}), false, "image/png"),
        ("test_get_table", json!({}), false, "a,b,sum\n1,2,3\n"),
        ("test_image_content", json!({}), false, "image/png"),
        ("test_audio_content", json!({}), false, "audio/wav"),
        ("test_conversation", json!({"about": "colors"}), false, "colors: Ada, red, true"),
        ("test_input_required_result_request_state", json!({}), true, "FAILED_PRECONDITION: not done, since the user said no"),
    ] {
        expect(client, tool, arguments, failed, text).await?;
    }
    let asked = client.service().asked.lock().unwrap().len();
    ensure!(asked == 4, "the user was asked {asked} times");
    let sum = client.call_tool(request("test_add_numbers", json!({"a": 1, "b": 2}))).await?.structured_content;
    ensure!(sum == Some(json!({"sum": 3})), "the structured content is {sum:?}");
    ensure!(client.call_tool(request("test_no_such_tool", json!({}))).await.is_err(), "an unknown tool was called");
    documents(client).await?;
    cancel(client).await?;
    call(client, "test_tool_with_progress", json!({})).await?;
    let want = [0.0, 50.0, 100.0];
    for _ in 0..100 {
        if *client.service().progress.lock().unwrap() == want {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await; // a report may come after the result
    }
    Err(format!("progress {:?}", client.service().progress.lock().unwrap()).into())
}

/// Reads a resource, a prompt and the values of its argument.
async fn documents(client: &Client<Person>) -> Result<(), Failure> {
    let read = client.read_resource(ReadResourceRequestParams::new("test://template/7/data")).await?;
    let text = text_of(read.contents.first().ok_or("no contents")?)?;
    ensure!(text.contains(r#""id":"7""#), "the resource is {text}");
    let missing = client.read_resource(ReadResourceRequestParams::new("test://template/missing/data")).await;
    ensure!(missing.is_err(), "a resource was read that is not there");
    let arguments = json!({"style": "funny", "words": "20"}).as_object().cloned().unwrap_or_default();
    let prompt = client.get_prompt(GetPromptRequestParams::new("test_styled_prompt").with_arguments(arguments)).await?;
    let said = serde_json::to_value(&prompt.messages)?;
    ensure!(said[0]["content"]["text"] == "Write 20 words in a funny tone.", "the prompt is {said}");
    let values = client.complete_prompt_argument("test_styled_prompt", "style", "f", None).await?.values;
    ensure!(values == ["formal", "friendly", "funny"], "the completion is {values:?}");
    Ok(())
}

/// Asks the server how many calls of test_endless have begun and ended, until that is enough.
async fn wait_for(client: &Client<Person>, enough: impl Fn(&Value) -> bool) -> Result<(), Failure> {
    let mut counts = Value::Null;
    for _ in 0..200 {
        counts = serde_json::from_str(&call(client, "test_ended", json!({})).await?.1)?;
        if enough(&counts) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(format!("the calls of test_endless are {counts}").into())
}

/// Gives up a call that would take for ever, and asks the server whether it has ended.
async fn cancel(client: &Client<Person>) -> Result<(), Failure> {
    tokio::select! {
        got = client.call_tool(request("test_endless", json!({}))) => return Err(format!("test_endless ends with {got:?}").into()),
        begun = wait_for(client, |counts| counts["begun"] != counts["ended"]) => begun?,
    }
    wait_for(client, |counts| counts["begun"] == counts["ended"]).await
}

/// Lets the user say no, then not yes, then yes to what cannot be undone.
async fn archive(client: &Client<Person>) -> Result<(), Failure> {
    let says = client.service().says.clone();
    *says.lock().unwrap() = vec![ElicitResult::new(ElicitationAction::Decline), accept(json!({"yes": false})), accept(json!({"yes": true}))];
    let made = expect(client, "todos_create", json!({"title": "for the archive"}), false, r#"{"id":"#).await?;
    let id = serde_json::from_str::<Value>(&made)?["id"].clone();
    expect(client, "todos_patch", json!({"id": id, "completed": true}), false, r#"{"id":"#).await?;
    for said in ["not done, since the user said no", "not done, since the user has not said yes"] {
        expect(client, "todos_archive", json!({}), true, &format!("FAILED_PRECONDITION: {said}")).await?;
        expect(client, "todos_get", json!({"id": id}), false, r#"{"id":"#).await?;
    }
    let done = expect(client, "todos_archive", json!({}), false, r#"{"archived":"#).await?;
    ensure!(done != r#"{"archived":0}"#, "nothing was archived");
    expect(client, "todos_get", json!({"id": id}), true, "NOT_FOUND").await?;
    ensure!(says.lock().unwrap().is_empty(), "a question was not asked");
    Ok(())
}

/// How many $refs are in a schema, each of which must be of a type in defs.
fn follow(schema: &Value, defs: &Value) -> Result<usize, Failure> {
    let mut n = 0;
    match schema {
        Value::Array(items) => {
            for item in items {
                n += follow(item, defs)?;
            }
        }
        Value::Object(members) => {
            for (key, item) in members {
                n += follow(item, defs)?;
                if key == "$ref" {
                    let name = item.as_str().and_then(|r| r.strip_prefix("#/$defs/"));
                    ensure!(name.is_some_and(|name| defs.get(name).is_some()), "{item} is not there");
                    n += 1;
                }
            }
        }
        _ => {}
    }
    Ok(n)
}

/// Resolves each $ref of the list of tools, and calls a tool with $defs.
async fn refer(client: &Client<Person>) -> Result<(), Failure> {
    let (mut tools, mut with_refs) = (0, 0);
    for tool in client.list_all_tools().await? {
        tools += 1;
        for schema in [Some(tool.input_schema), tool.output_schema].into_iter().flatten() {
            let schema = Value::Object(schema.as_ref().clone());
            with_refs += usize::from(follow(&schema, &schema["$defs"])? > 0);
        }
    }
    ensure!(tools == 41 && with_refs == 10, "{tools} tools, {with_refs} schemas with $refs");
    let ada = json!({"name": "Ada", "street": "1 High Street", "city": "Bath", "land": "GB"});
    let mut order = json!({"billing": ada, "lines": [{"sender": ada, "product": "p", "count": 1}], "parts": [{"billing": ada, "lines": []}]});
    let got = call(client, "shipping_echo_order", order.clone()).await?;
    ensure!(!got.0 && serde_json::from_str::<Value>(&got.1)? == order, "a right call ends with {got:?}");
    order["parts"][0]["billing"]["land"] = json!("Great Britain");
    let got = call(client, "shipping_echo_order", order).await?;
    ensure!(got.0 && got.1.contains("/parts/0/billing/land"), "a wrong call ends with {got:?}");
    Ok(())
}

/// Everything over one transport in one way.
async fn all(servers: &[Server; 3], http: bool, way: Option<ClientLifecycleMode>) -> Result<(), Failure> {
    let client = connect(&servers[0], http, way.clone(), Person::default()).await?;
    exercise(&client).await?;
    client.cancel().await?;
    let client = connect(&servers[1], http, way.clone(), Person::default()).await?;
    archive(&client).await?;
    client.cancel().await?;
    let client = connect(&servers[1], http, way.clone(), ()).await?; // has no handler
    expect(&client, "todos_archive", json!({}), true, "FAILED_PRECONDITION: not done, since this client cannot be asked").await?;
    client.cancel().await?;
    let client = connect(&servers[2], http, way, Person::default()).await?;
    refer(&client).await?;
    client.cancel().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let programs: Vec<String> = std::env::args().skip(1).collect();
    let [fixture, template, kitchen] = programs.as_slice() else {
        return Err("usage: svc-mcp-rust-interop FIXTURE TEMPLATE KITCHEN".into());
    };
    let servers = [Server::start(fixture, "-stdio").await?, Server::start(template, "-mcp").await?, Server::start(kitchen, "-stdio").await?];
    let mut failed = false;
    for (over, http) in [("HTTP", true), ("stdio", false)] {
        for (name, way) in ways() {
            let outcome = tokio::time::timeout(Duration::from_secs(60), all(&servers, http, way)).await;
            match outcome.unwrap_or_else(|_| Err("it takes more than a minute".into())) {
                Ok(()) => println!("ok rmcp, {over}, {name}: calls, cancels, archives, with and without a handler, $defs"),
                Err(err) => {
                    failed = true;
                    println!("FAILED rmcp, {over}, {name}: {err}");
                }
            }
        }
    }
    if failed { Err("rmcp failed".into()) } else { Ok(()) }
}
