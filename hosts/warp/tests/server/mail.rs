//! Mail to a recipient, from the creation of an order to a mail server on loopback.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Sender, channel},
    time::Instant,
};

use serde_json::{Value, json};

use crate::{
    couriers::{order, send},
    harness::{Server, TIMEOUT, create_store, despacho},
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
                let text = lines.by_ref().map_while(Result::ok).take_while(|line| line != ".");
                messages.send(text.map(|line| line + "\n").collect()).map_err(std::io::Error::other)?;
                "250 2.0.0 queued"
            }
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes())?;
    }
    Ok(())
}

#[test]
fn new_order_sends_a_mail_with_its_link() {
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
    command.args(["serve", "--listen", "127.0.0.1:0", "--public-url", "https://entregas.example"]);
    command.env("DESPACHO_SMTP_URL", &url).env("DESPACHO_SMTP_FROM", "entregas@loja.example");
    let server = Server::start_by(command, folder, &[]);
    let stores = send(&server, "GET /delivery/stores", &store, &Value::Null);
    let path = format!("PUT /delivery/stores/{}/tracking", stores["stores"][0]["id"]);
    send(&server, &path, &store, &json!({ "enabled": true, "notifyAt": ["CREATED"] }));
    let webhook = json!({ "url": "smtp:", "events": ["recipient.notify"] });
    let id = send(&server, "POST /delivery/webhooks", &store, &webhook)["id"].clone();
    let mut new = order("M-1");
    new["deliveries"][0]["email"] = "rui@cliente.example".into();
    let created = send(&server, "POST /delivery/orders", &store, &new);
    let link = created["deliveries"][0]["trackingUrl"].as_str().unwrap();
    assert!(link.starts_with("https://entregas.example/t/"), "{link}");
    let mail = messages.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("no mail\n{}", server.log()));
    let unfolded = mail.replace("=\n", "");
    assert!(unfolded.contains("rui@cliente.example") && unfolded.contains(link), "{mail}");
    // The attempt is recorded after the mail server has accepted the message.
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let attempts = send(&server, &format!("GET /delivery/webhooks/{id}/attempts"), &store, &Value::Null);
        match attempts["attempts"].as_array().map(Vec::len) {
            Some(0) => assert!(Instant::now() < deadline, "{attempts}"),
            count => break assert_eq!(count, Some(1), "{attempts}"),
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(!server.log().contains("segredo"), "{}", server.log());
}
