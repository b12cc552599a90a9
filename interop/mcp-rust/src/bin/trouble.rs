//! A session of rmcp, as it begins by default, for the program trouble of ../mcp, which says what
//! the lines are that it gets and sends. Usage: trouble URL, or trouble COMMAND ARGS

use std::sync::{Arc, Mutex};

use rmcp::model::*;
use rmcp::service::{Peer, RequestContext};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::oneshot;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn tell(line: Value) {
    println!("{line}");
}

/// Answers when the driver says so.
#[derive(Clone, Default)]
struct User {
    questions: Arc<Mutex<Vec<Option<oneshot::Sender<()>>>>>,
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::new());
        ClientConfig::new(capabilities, Implementation::new("svc-interop", "1"))
    }

    async fn create_elicitation(&self, _: ElicitRequestParams, _: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        let (answered, answer) = oneshot::channel();
        let asked = {
            let mut questions = self.questions.lock().unwrap();
            questions.push(Some(answered));
            questions.len()
        };
        tell(json!({"asked": asked}));
        answer.await.map_err(|err| ErrorData::internal_error(err.to_string(), None))?;
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"})))
    }
}

/// Calls a tool, and returns whether that went well, and its text.
async fn call(peer: Peer<RoleClient>, line: &Value) -> Result<(bool, String), Failure> {
    let arguments: JsonObject = serde_json::from_str(line["arguments"].as_str().unwrap_or_default())?;
    let tool = line["tool"].as_str().unwrap_or_default().to_string();
    let result = peer.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await?;
    match result.content.first() {
        Some(ContentBlock::Text(block)) => Ok((result.is_error != Some(true), block.text.clone())),
        other => Err(format!("a result with {other:?}").into()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let user = User::default();
    let client = if args.len() == 1 {
        user.clone().serve(StreamableHttpClientTransport::from_uri(args[0].clone())).await?
    } else {
        let mut command = Command::new(&args[0]);
        command.args(&args[1..]);
        user.clone().serve(TokioChildProcess::new(command)?).await?
    };
    tell(json!({"ready": true}));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(text) = lines.next_line().await? {
        let line: Value = serde_json::from_str(&text)?;
        if let Some(number) = line["answered"].as_u64() {
            let question = user.questions.lock().unwrap()[number as usize - 1].take();
            let _ = question.map(|answered| answered.send(())); // the client may have given it up
            continue;
        }
        let peer = client.peer().clone();
        tokio::spawn(async move {
            let (ok, text) = call(peer, &line).await.unwrap_or_else(|err| (false, err.to_string()));
            tell(json!({"id": line["id"], "ok": ok, "text": text}));
        });
    }
    client.cancel().await?;
    Ok(())
}
