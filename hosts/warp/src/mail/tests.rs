//! Mail to a server on loopback that records what it receives.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use despacho_core::model::{
    Timestamp, WebhookId,
    webhook::{Message as WebhookMessage, Subject},
};
use futures_util::future::join_all;
use serde_json::json;

use super::*;

/// The first words of the headers of every message, sorted.
const HEADERS: [&str; 10] = [
    "Auto-Submitted",
    "Content-Transfer-Encoding",
    "Content-Type",
    "Date",
    "From",
    "MIME-Version",
    "Message-ID",
    "Subject",
    "To",
    "",
];

/// A mail server without TLS. It responds to each command as `reply` decides, or accepts it.
struct Server {
    url: String,
    /// The commands of all connections.
    commands: Arc<Mutex<Vec<String>>>,
    /// The messages.
    received: Arc<Mutex<Vec<String>>>,
    /// Maximum number of transactions that were open at the same time.
    max_open: Arc<AtomicUsize>,
}

type Reply = fn(&str) -> Option<&'static str>;

impl Server {
    fn start(reply: Reply) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("smtp://ana:segredo@{}", listener.local_addr().unwrap());
        let server = Server {
            url,
            commands: Arc::default(),
            received: Arc::default(),
            max_open: Arc::default(),
        };
        let (commands, received, max_open) = (
            server.commands.clone(),
            server.received.clone(),
            server.max_open.clone(),
        );
        let open = Arc::new(AtomicUsize::new(0));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (commands, received) = (commands.clone(), received.clone());
                let (open, max_open) = (open.clone(), max_open.clone());
                std::thread::spawn(move || {
                    // The client can close the connection at any time.
                    let _ = converse(&stream, reply, &commands, &received, &(open, max_open));
                });
            }
        });
        server
    }

    fn mailer(&self, seconds: u64) -> Mailer {
        let from = Some(Sender::parse("Empório Central <entregas@loja.example>").unwrap());
        let smtp = Smtp {
            url: Some(Relay::parse(&self.url).unwrap()),
            from,
        };
        Mailer::new(&smtp, Duration::from_secs(seconds))
            .unwrap()
            .unwrap()
    }

    fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }

    fn commands(&self, name: &str) -> Vec<String> {
        self.commands
            .lock()
            .unwrap()
            .iter()
            .filter(|line| line.starts_with(name))
            .cloned()
            .collect()
    }
}

/// Serves one connection.
fn converse(
    mut stream: &TcpStream,
    reply: Reply,
    commands: &Mutex<Vec<String>>,
    received: &Mutex<Vec<String>>,
    (open, max_open): &(Arc<AtomicUsize>, Arc<AtomicUsize>),
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    stream.write_all(b"220 mail.example ESMTP\r\n")?;
    while let Some(line) = lines.next().transpose()? {
        commands.lock().unwrap().push(line.clone());
        if let Some(text) = reply(&line) {
            std::thread::sleep(Duration::from_millis(
                text.strip_prefix("wait ")
                    .map_or(0, |ms| ms.parse().unwrap()),
            ));
            if text.starts_with("wait ") {
                return Ok(());
            }
            stream.write_all(format!("{text}\r\n").as_bytes())?;
            continue;
        }
        let word = line.split(' ').next().unwrap_or_default();
        let text = match word {
            "EHLO" => "250-mail.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
            "MAIL" => {
                max_open.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                "250 ok"
            }
            "AUTH" => "235 2.7.0 ok",
            "DATA" => {
                stream.write_all(b"354 go\r\n")?;
                let mut mail = String::new();
                for line in lines.by_ref() {
                    let line = line?;
                    if line == "." {
                        break;
                    }
                    mail += &format!("{line}\n");
                }
                received.lock().unwrap().push(mail);
                open.fetch_sub(1, Ordering::SeqCst);
                "250 2.0.0 queued"
            }
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        stream.write_all(format!("{text}\r\n").as_bytes())?;
    }
    Ok(())
}

fn job(number: u64, recipient: &serde_json::Value) -> Job {
    let (webhook, since) = (
        WebhookId::new(1).unwrap(),
        Timestamp::from_millis(1_795_262_400_000),
    );
    let name = format!("evt_{number}_1");
    let message = WebhookMessage {
        webhook,
        name,
        subject: Subject::Test,
        tries: 0,
        since,
        due_at: since,
    };
    let body = json!({ "type": "recipient.notify", "data": { "recipient": recipient } })
        .to_string()
        .into_bytes();
    Job {
        message,
        headers: Vec::new(),
        body,
        withheld: None,
    }
}

fn rita() -> serde_json::Value {
    let text = "Olá, Rita!\nSeu pedido saiu. Acompanhe: https://entregas.example/t/abc";
    json!({ "name": "Rita Conceição", "email": "rita@cliente.example", "subject": "Pedido a caminho: João", "text": text })
}

#[tokio::test]
async fn mail_is_sent_at_once_or_reported() {
    let mail = Mail {
        name: Some("Bia".to_owned()),
        to: "bia@loja.example".to_owned(),
        subject: "Defina sua senha".to_owned(),
        text: "Bia, abra https://entregas.example/#/password/pwu_1".to_owned(),
    };
    let server = Server::start(|_| None);
    assert!(server.mailer(10).send_now(&mail).await);
    assert!(server.mailer(10).send_now(&mail).await);
    let received = server.received();
    assert!(
        received[0].contains("To: Bia <bia@loja.example>")
            && received[0].contains("#/password/pwu_1"),
        "{received:?}"
    );
    let id = |mail: &String| {
        mail.lines()
            .find(|line| line.starts_with("Message-ID: <"))
            .unwrap()
            .to_owned()
    };
    assert_ne!(id(&received[0]), id(&received[1]));
    let rejecting = Server::start(|line| line.starts_with("RCPT").then_some("550 no such user"));
    assert!(!rejecting.mailer(10).send_now(&mail).await);
    assert!(
        !server
            .mailer(10)
            .send_now(&Mail {
                to: "bia".to_owned(),
                ..mail
            })
            .await
    );
}

#[tokio::test]
async fn mail_has_complete_headers_and_utf8_text() {
    let server = Server::start(|_| None);
    let mailer = server.mailer(10);
    assert_eq!(
        mailer.send(&job(7, &rita())).await,
        AttemptResult::Status(250)
    );
    assert_eq!(
        mailer.send(&job(7, &rita())).await,
        AttemptResult::Status(250)
    );
    let received = server.received();
    assert_eq!(
        (received.len(), &received[0]),
        (2, &received[1]),
        "a repeated message is the same"
    );
    let (head, body) = received[0].split_once("\n\n").unwrap();
    for line in [
        "From: =?utf-8?b?RW1ww7NyaW8gQ2VudHJhbA==?= <entregas@loja.example>",
        "To: =?utf-8?b?Uml0YSBDb25jZWnDp8Ojbw==?= <rita@cliente.example>",
        "Subject: Pedido a caminho: =?utf-8?b?Sm/Do28=?=",
        "Date: Sat, 21 Nov 2026 12:00:00 +0000",
        "Message-ID: <evt_7_1@loja.example>",
        "Auto-Submitted: auto-generated",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: quoted-printable",
    ] {
        assert!(head.lines().any(|one| one == line), "{line}\n{head}");
    }
    assert_eq!(
        body.trim_end(),
        "Ol=C3=A1, Rita!\nSeu pedido saiu. Acompanhe: https://entregas.example/t/abc"
    );
    assert_eq!(
        server.commands("MAIL")[0],
        "MAIL FROM:<entregas@loja.example>"
    );
    assert_eq!(server.commands("RCPT")[0], "RCPT TO:<rita@cliente.example>");
    assert_eq!(server.commands("EHLO")[0], "EHLO loja.example");
}

#[tokio::test]
async fn message_without_an_address_needs_no_server() {
    let server = Server::start(|_| None);
    let mailer = server.mailer(10);
    for recipient in [
        json!(null),
        json!({ "name": "Rita", "email": null, "subject": "a", "text": "b" }),
    ] {
        assert_eq!(
            mailer.send(&job(1, &recipient)).await,
            AttemptResult::Status(204)
        );
    }
    let mut invalid = rita();
    for address in [
        "rita",
        "a@b.example\r\nRCPT TO:<c@d.example>",
        "<a@b.example>",
        "a@b.example, c@d.example",
    ] {
        invalid["email"] = json!(address);
        assert_eq!(
            mailer.send(&job(1, &invalid)).await,
            AttemptResult::Status(553),
            "{address}"
        );
    }
    assert_eq!(server.commands(""), [""; 0]);
}

/// Returns a string of parts that end headers, begin others or are not text.
fn hostile(seed: &mut u64) -> String {
    const PARTS: [&str; 24] = [
        "\r\n",
        "\n",
        "\r",
        "\r\n\r\n",
        "Bcc: c@d.example",
        "\r\nBcc: c@d.example",
        "\nSubject: x",
        "\r\n.\r\n",
        "\0",
        "\u{85}",
        "\u{2028}",
        "\u{2029}",
        "=?utf-8?q?=0D=0ABcc:_c@d.example?=",
        "\"",
        "\\",
        "<c@d.example>",
        ",",
        ";",
        "Rita",
        "João",
        "\u{1f680}",
        "\t",
        " ",
        "\u{202e}",
    ];
    let mut next = |max: u64| {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((*seed >> 33) % max).unwrap()
    };
    let count = 1 + next(12);
    (0..count)
        .map(|_| PARTS[next(24)].repeat(1 + next(60) / 50 * 40))
        .collect()
}

#[tokio::test]
async fn hostile_names_and_subjects_add_no_header() {
    let server = Server::start(|_| None);
    let (mailer, mut seed) = (server.mailer(10), 7);
    for number in 0..1_000 {
        let mut recipient = rita();
        recipient["name"] = json!(hostile(&mut seed));
        recipient["subject"] = json!(hostile(&mut seed));
        recipient["text"] = json!(hostile(&mut seed));
        let job = job(number, &recipient);
        let message = mailer
            .message(&mail(&job.body).unwrap(), None, SystemTime::now())
            .unwrap();
        let to: Vec<String> = message
            .envelope()
            .to()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(to, ["rita@cliente.example"]);
        let text = String::from_utf8(message.formatted()).unwrap();
        let head = text.split("\r\n\r\n").next().unwrap();
        assert!(
            text.is_ascii() && !text.replace("\r\n", "").contains(['\r', '\n', '\0']),
            "{text:?}"
        );
        let lines: Vec<&str> = head.split("\r\n").collect();
        assert!(
            text.split("\r\n").all(|line| line.len() <= 998) && !head.contains("=?utf-8?q?"),
            "{text:?}"
        );
        let mut names: Vec<&str> = lines
            .iter()
            .filter(|line| !line.starts_with([' ', '\t']))
            .map(|line| line.split(':').next().unwrap())
            .collect();
        names.push("");
        names.sort_by_key(|name| (name.is_empty(), *name));
        assert_eq!(names, HEADERS, "{head:?}");
        if number % 100 == 0 {
            assert_eq!(mailer.send(&job).await, AttemptResult::Status(250));
        }
    }
    assert_eq!(
        (server.received().len(), server.commands("RCPT").len()),
        (10, 10)
    );
    assert!(
        server
            .commands("RCPT")
            .iter()
            .all(|line| line == "RCPT TO:<rita@cliente.example>")
    );
}

#[tokio::test]
async fn result_has_the_status_of_the_mail_server() {
    let results: [(Reply, AttemptResult); 8] = [
        (
            |line| line.starts_with("RCPT").then_some("450 4.2.0 mailbox busy"),
            AttemptResult::Status(450),
        ),
        (
            |line| {
                line.starts_with("RCPT")
                    .then_some("550 5.1.1 no such mailbox")
            },
            AttemptResult::Status(550),
        ),
        (
            |line| {
                line.starts_with("MAIL")
                    .then_some("421 4.7.0 try again later")
            },
            AttemptResult::Status(421),
        ),
        (
            |line| line.starts_with("DATA").then_some("554 5.7.1 rejected"),
            AttemptResult::Status(554),
        ),
        (
            |line| {
                line.starts_with("AUTH")
                    .then_some("535 5.7.8 segredo is wrong")
            },
            AttemptResult::Failed(SendError::Connect),
        ),
        (
            |line| line.starts_with("RCPT").then_some("hello"),
            AttemptResult::Failed(SendError::Broken),
        ),
        (
            |line| line.starts_with("DATA").then_some("wait 5000"),
            AttemptResult::Failed(SendError::Timeout),
        ),
        (
            |line| line.starts_with("EHLO").then_some("wait 5000"),
            AttemptResult::Failed(SendError::Timeout),
        ),
    ];
    for (index, (reply, expected)) in results.into_iter().enumerate() {
        let server = Server::start(reply);
        let result = server.mailer(2).send(&job(1, &rita())).await;
        assert_eq!((result, server.received().len()), (expected, 0), "{index}");
    }
    let unused = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let closed = Server {
        url: format!("smtp://{unused}"),
        ..Server::start(|_| None)
    };
    assert_eq!(
        closed.mailer(2).send(&job(1, &rita())).await,
        AttemptResult::Failed(SendError::Connect)
    );
}

#[tokio::test]
async fn mail_server_gets_few_connections_at_once() {
    let server = Server::start(|line| {
        if line.starts_with("RCPT") {
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    });
    let mailer = server.mailer(20);
    let jobs: Vec<Job> = (0..40).map(|number| job(number, &rita())).collect();
    let results = join_all(jobs.iter().map(|job| mailer.send(job))).await;
    assert!(
        results
            .iter()
            .all(|result| *result == AttemptResult::Status(250)),
        "{results:?}"
    );
    let max = server.max_open.load(Ordering::SeqCst);
    assert!((2..=MAX_CONNECTIONS).contains(&max), "{max} connections");
    assert_eq!(server.received().len(), 40);
}
