//! Mail to recipients and users, from the request to a mail server on loopback.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    time::Instant,
};

use serde_json::{Value, json};

use crate::{
    couriers::{order, send},
    harness::{OPERATOR, Server, TIMEOUT, create_store, despacho},
};

/// Accepts every command of a connection, and passes on the messages.
fn converse(mut stream: &TcpStream, messages: &Sender<String>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    stream.write_all(b"220 mail.example ESMTP\r\n")?;
    while let Some(line) = lines.next().transpose()? {
        let reply = match line.split(' ').next().unwrap_or_default() {
            "EHLO" => "250-mail.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
            "AUTH" => "235 2.7.0 ok",
            "DATA" => {
                stream.write_all(b"354 go\r\n")?;
                let text = lines
                    .by_ref()
                    .map_while(Result::ok)
                    .take_while(|line| line != ".");
                messages
                    .send(text.map(|line| line + "\n").collect())
                    .map_err(std::io::Error::other)?;
                "250 2.0.0 queued"
            }
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes())?;
    }
    Ok(())
}

/// Starts a server that sends its mail to a mail server on loopback. Returns the server, the
/// store's key and the messages.
fn with_mail_server() -> (Server, String, Receiver<String>) {
    let folder = tempfile::tempdir().unwrap();
    let store = create_store(&folder);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("smtp://ana:segredo@{}", listener.local_addr().unwrap());
    let (sender, messages) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // The client can close the connection at any time.
            let _ = converse(&stream, &sender);
        }
    });
    let mut command = despacho(&folder);
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--public-url",
        "https://entregas.example",
    ]);
    command
        .env("DESPACHO_SMTP_URL", &url)
        .env("DESPACHO_SMTP_FROM", "entregas@loja.example");
    (Server::start_by(command, folder, &[]), store, messages)
}

fn next_mail(messages: &Receiver<String>, server: &Server) -> String {
    messages
        .recv_timeout(TIMEOUT)
        .unwrap_or_else(|_| panic!("no mail\n{}", server.log()))
}

#[test]
fn new_order_sends_a_mail_with_its_link() {
    let (server, store, messages) = with_mail_server();
    let stores = send(&server, "GET /delivery/stores", &store, &Value::Null);
    let path = format!(
        "PUT /delivery/stores/{}/tracking",
        stores["stores"][0]["id"]
    );
    send(
        &server,
        &path,
        &store,
        &json!({ "enabled": true, "notifyAt": ["CREATED"] }),
    );
    let webhook = json!({ "url": "smtp:", "events": ["recipient.notify"] });
    let id = send(&server, "POST /delivery/webhooks", &store, &webhook)["id"].clone();
    let mut new = order("M-1");
    new["deliveries"][0]["email"] = "rui@cliente.example".into();
    let created = send(&server, "POST /delivery/orders", &store, &new);
    let link = created["deliveries"][0]["trackingUrl"].as_str().unwrap();
    assert!(link.starts_with("https://entregas.example/t/"), "{link}");
    let mail = next_mail(&messages, &server);
    let unfolded = mail.replace("=\n", "");
    assert!(
        unfolded.contains("rui@cliente.example") && unfolded.contains(link),
        "{mail}"
    );
    // The attempt is recorded after the mail server has accepted the message.
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let attempts = send(
            &server,
            &format!("GET /delivery/webhooks/{id}/attempts"),
            &store,
            &Value::Null,
        );
        match attempts["attempts"].as_array().map(Vec::len) {
            Some(0) => assert!(Instant::now() < deadline, "{attempts}"),
            count => break assert_eq!(count, Some(1), "{attempts}"),
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(!server.log().contains("segredo"), "{}", server.log());
}

/// Returns the code of the link in a mail to a user. The panel sends it from the part of the link
/// after `#`.
fn link_code(mail: &str, email: &str) -> String {
    let text = mail.replace("=\n", "").replace("=3D", "=");
    assert!(text.contains(email), "{mail}");
    let (_, link) = text
        .split_once("https://entregas.example/#/password/")
        .unwrap_or_else(|| panic!("no link: {mail}"));
    link.chars()
        .take_while(|letter| !letter.is_whitespace())
        .collect()
}

#[test]
fn password_link_of_the_operator_is_mailed_and_sets_the_password() {
    let (server, store, messages) = with_mail_server();
    let email = "bia@padaria.com.br";
    let user = json!({ "name": "Bia", "email": email, "role": "CLERK" });
    let created = send(&server, "POST /delivery/users", &store, &user);
    // The first link, which a new user gets.
    let first = link_code(&next_mail(&messages, &server), email);
    let stores = send(&server, "GET /delivery/stores", &store, &Value::Null);
    let path = format!(
        "POST /admin/stores/{}/password-link",
        stores["stores"][0]["id"]
    );
    let issued = send(
        &server,
        &path,
        OPERATOR,
        &json!({ "userId": created["user"]["id"] }),
    );
    assert_eq!(issued["mailed"], true, "{issued}");
    let code = link_code(&next_mail(&messages, &server), email);
    assert_eq!(issued["code"], code.as_str());

    let post = |path: &str, body: Value| {
        server.send(
            &format!("POST {path}\ncontent-type: application/json"),
            body.to_string().as_bytes(),
        )
    };
    let set = |code: &str, password: &str| {
        post(
            "/delivery/password/reset",
            json!({ "code": code, "newPassword": password }),
        )
    };
    let log_in = |password: &str| {
        post(
            "/delivery/sessions",
            json!({ "email": email, "password": password }),
        )
        .status
    };
    assert_eq!(
        set(&first, "uma senha antiga").status,
        422,
        "a new link replaces the earlier one"
    );
    assert_eq!(log_in("uma senha bem nova"), 401);
    assert_eq!(set(&code, "uma senha bem nova").status, 204);
    assert_eq!(log_in("uma senha bem nova"), 201);
    assert_eq!(
        set(&code, "uma outra senha").status,
        422,
        "a link is valid once"
    );
    assert_eq!(log_in("uma senha bem nova"), 201);
    let log = server.log();
    assert!(!log.contains(&code) && !log.contains("segredo"), "{log}");
}
