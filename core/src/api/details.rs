//! The details of problems about which only the code is known.

use super::problem::ProblemCode;
use crate::model::Text;

impl ProblemCode {
    /// Returns the detail of a problem about which only the code is known.
    pub fn detail(self) -> Text {
        let (en, pt) = match self {
            ProblemCode::ApiKeyInvalid => (
                "Invalid API key. Check that you copied the entire key.",
                "Chave de API inválida. Verifique se você copiou a chave inteira.",
            ),
            ProblemCode::ApiKeyRevoked => (
                "This API key was revoked, or its store was removed. Use another key.",
                "Esta chave de API foi revogada ou a loja foi removida. Use outra chave.",
            ),
            ProblemCode::InsufficientBalance => (
                "The balance does not cover the fee. Contact an owner of the store.",
                "O saldo não cobre a taxa. Fale com um proprietário da loja.",
            ),
            ProblemCode::RoleNotAllowed => (
                "Your role does not allow this request. Contact an owner of the store.",
                "Seu papel não permite esta requisição. Fale com um proprietário da loja.",
            ),
            ProblemCode::PasswordLinkInvalid => (
                "This link is invalid, was already used, or has expired. Request a new one.",
                "Este link é inválido, já foi usado ou expirou. Peça um novo.",
            ),
            ProblemCode::AlreadyRated => (
                "You have already rated this delivery. A rating cannot be changed.",
                "Você já avaliou esta entrega. Não é possível mudar a avaliação.",
            ),
            ProblemCode::CrossSite => (
                "Another site sent this request. Open the page and send the form there.",
                "Outro site enviou esta requisição. Abra a página e envie o formulário por ela.",
            ),
            ProblemCode::CnpjTaken => (
                "This CNPJ is already registered. Check it, or use the existing store.",
                "Este CNPJ já está cadastrado. Confira-o ou use a loja existente.",
            ),
            ProblemCode::EmailTaken => (
                "This email is already registered. Use another one.",
                "Este e-mail já está cadastrado. Use outro.",
            ),
            ProblemCode::ValidationFailed => (
                "Some fields are invalid; `errors` lists each one and what to send.",
                "Há campos inválidos; `errors` lista cada um e o que enviar.",
            ),
            ProblemCode::AddressNotFound => (
                "At least one address cannot be located; `errors` lists each one and what to send.",
                "Ao menos um endereço não pôde ser localizado; `errors` lista cada um e o que enviar.",
            ),
            ProblemCode::WindowUnreachable => (
                "The courier cannot arrive within every window; `errors` lists each one with the expected arrival.",
                "O entregador não consegue chegar dentro de todas as janelas; `errors` lista cada uma com a chegada prevista.",
            ),
            ProblemCode::AddressImprecise => (
                "At least one address is not precise enough; `errors` lists each one and what to send.",
                "Ao menos um endereço não tem precisão suficiente; `errors` lista cada um e o que enviar.",
            ),
            ProblemCode::CoordinatesMismatch => (
                "The coordinates of at least one address are wrong; `errors` lists each address and what to send.",
                "As coordenadas de ao menos um endereço estão erradas; `errors` lista cada endereço e o que enviar.",
            ),
            other => return other.not_found_detail(),
        };
        Text::new(en, pt)
    }

    /// Returns the detail if something was not found, and otherwise the title as a sentence.
    fn not_found_detail(self) -> Text {
        let (en, pt) = match self {
            ProblemCode::OrderNotFound => (
                "Order not found. Check the ID, and that this key gives access to the order.",
                "Pedido não encontrado. Confira o ID e se esta chave dá acesso ao pedido.",
            ),
            ProblemCode::TrackingNotFound => (
                "This link does not exist or has ended. Check that you copied the entire link, or contact the store.",
                "Este link não existe ou já terminou. Verifique se você copiou o link inteiro ou fale com a loja.",
            ),
            ProblemCode::StoreNotFound => (
                "Store not found. Check the ID, and that this key gives access to the store.",
                "Loja não encontrada. Confira o ID e se esta chave dá acesso à loja.",
            ),
            ProblemCode::KeyNotFound => (
                "API key not found. Send the key's ID from the list of keys, not its value.",
                "Chave de API não encontrada. Envie o ID que aparece na lista de chaves, não o valor da chave.",
            ),
            ProblemCode::UserNotFound => (
                "User not found. Check the ID, and that this key gives access to the user's store.",
                "Usuário não encontrado. Confira o ID e se esta chave dá acesso à loja do usuário.",
            ),
            ProblemCode::SessionNotFound => (
                "Session not found. Send a session's ID from the list of sessions.",
                "Sessão não encontrada. Envie o ID que aparece na lista de sessões.",
            ),
            ProblemCode::NotificationNotFound => (
                "Notification not found. Check the ID.",
                "Notificação não encontrada. Confira o ID.",
            ),
            ProblemCode::CourierNotFound => (
                "Courier not found. Check the ID.",
                "Entregador não encontrado. Confira o ID.",
            ),
            ProblemCode::WebhookNotFound => (
                "Webhook not found. Check the ID, and use a key of the store that created it.",
                "Webhook não encontrado. Confira o ID e use uma chave da loja que o criou.",
            ),
            ProblemCode::AttemptNotFound => (
                "Attempt not found. Check the ID; only a webhook's newest 200 attempts are stored.",
                "Tentativa não encontrada. Confira o ID; somente as 200 tentativas mais recentes de um webhook ficam salvas.",
            ),
            ProblemCode::PhotoNotFound => (
                "Photo not found. Check the ID, and that you have access to its order.",
                "Foto não encontrada. Confira o ID e se você tem acesso ao pedido dela.",
            ),
            other => {
                let Text { en, pt } = other.title();
                return Text::new(format!("{en}."), format!("{pt}."));
            }
        };
        Text::new(en, pt)
    }
}
