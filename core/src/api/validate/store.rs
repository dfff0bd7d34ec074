//! Stores, keys and logins.

use super::{
    address::Need,
    checker::{Checker, Path},
    order::is_within,
};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{
        Address, Cnpj, CnpjError, Email, Money, Person, StoreId,
        price::EstimatePolicy,
        store::{Billing, Store},
    },
    rules::stores::{Contact, KeyRequest, NewStore, StoreChange},
    wire::{
        AddressBody, AlterStore, ContactBody, CreateParentStore, CreateSession, CreateStore, Id,
        IssueKey, UpdateStore,
    },
};

/// Maximum length in bytes of the part of an email address before the @ (RFC 5321, section
/// 4.5.3.1.1).
const MAX_LOCAL_PART: usize = 64;

/// Validates a new parent store. For branches, see [`store`].
///
/// # Errors
/// Every invalid field.
pub fn contact_and_address(body: Body<CreateParentStore>) -> Result<NewStore, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let cnpj = checker.required_text(&root.member("cnpj"), sent.cnpj.as_ref(), bounds::NAME);
    let cnpj = checker.cnpj(&root.member("cnpj"), cnpj);
    let contact = checker.contact(
        sent.name.as_ref(),
        sent.responsible.as_ref(),
        sent.email.as_ref(),
        sent.address.as_ref(),
    );
    let password = checker.password(&root.member("password"), sent.password);
    let category = checker.category(
        &root.member("marketplaceBranchId"),
        sent.marketplace_branch_id,
    );
    let billing = checker.billing(&root.member("prepaidFloor"), sent.prepaid_floor);
    let new = match (cnpj, contact, password, category) {
        (Some(cnpj), Some(contact), Some(password), Some(category)) => Some(NewStore {
            cnpj,
            contact,
            password,
            category,
            billing,
            sandbox: sent.sandbox.unwrap_or(false),
        }),
        _ => None,
    };
    checker.finish(new)
}

/// Validates the operator's changes to a store.
///
/// # Errors
/// Every invalid field.
pub fn altered_store(body: Body<AlterStore>) -> Result<StoreChange, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let floor = match checker.billing(&Path::Root.member("prepaidFloor"), sent.prepaid_floor) {
        Billing::Prepaid { floor } => Some(floor),
        Billing::Invoiced => None,
    };
    let estimates =
        sent.estimates
            .as_deref()
            .and_then(|text| match (text, EstimatePolicy::parse(text)) {
                ("DEFAULT", _) => Some(None),
                (_, Some(policy)) => Some(Some(policy)),
                _ => {
                    let (en, pt) = (
                        "Expected `ACCEPT`, `LOWER`, `REJECT` or `DEFAULT`.",
                        "Esperado `ACCEPT`, `LOWER`, `REJECT` ou `DEFAULT`.",
                    );
                    checker.reject(&Path::Root.member("estimates"), "invalid_value", en, pt);
                    None
                }
            });
    checker.finish(Some(StoreChange {
        disabled: sent.disabled,
        floor,
        estimates,
    }))
}

/// Validates a new branch. The caller must replace `billing` and
/// `sandbox` with the parent's.
///
/// # Errors
/// Every invalid field.
pub fn store(body: Body<CreateStore>) -> Result<NewStore, Problem> {
    let Body { value: sent, wrong } = body;
    let CreateStore {
        cnpj,
        name,
        responsible,
        email,
        password,
        address,
        marketplace_branch_id,
        current_password: _,
    } = sent;
    let value = CreateParentStore {
        cnpj,
        name,
        responsible,
        email,
        password,
        address,
        marketplace_branch_id,
        prepaid_floor: None,
        sandbox: None,
    };
    contact_and_address(Body { value, wrong })
}

/// Validates a store's changes to itself.
///
/// # Errors
/// Every invalid field.
pub fn update(body: Body<UpdateStore>) -> Result<Contact, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let contact = checker.contact(
        sent.name.as_ref(),
        sent.responsible.as_ref(),
        sent.email.as_ref(),
        sent.address.as_ref(),
    );
    checker.finish(contact)
}

/// Reads the email and the password of a login, without checking their format.
///
/// # Errors
/// Every invalid field.
pub fn session(body: Body<CreateSession>) -> Result<(String, String), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let email = checker.required_text(&root.member("email"), sent.email.as_ref(), bounds::EMAIL);
    let password = sent.password.filter(|password| !password.is_empty());
    if password.is_none() {
        checker.required(&root.member("password"));
    }
    checker.finish(email.zip(password))
}

/// Validates a request for a new key.
///
/// # Errors
/// Every invalid field.
pub fn key(body: Body<IssueKey>) -> Result<KeyRequest, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let store = sent.store_id.and_then(|id| {
        let store = StoreId::new(id.0);
        if store.is_none() {
            let en = "Expected a store ID, an integer of 1 or more.";
            let pt = "Esperado o ID de uma loja, um número inteiro a partir de 1.";
            checker.reject(&root.member("storeId"), "out_of_range", en, pt);
        }
        store
    });
    let name = checker.text(&root.member("name"), sent.name.as_ref(), bounds::NAME);
    let days = checker.integer(
        &root.member("expiresInDays"),
        sent.expires_in_days,
        bounds::KEY_DAYS,
    );
    checker.finish(Some(KeyRequest { store, name, days }))
}

impl Checker {
    fn cnpj(&mut self, path: &Path<'_>, text: Option<String>) -> Option<Cnpj> {
        self.parsed(path, text, |text| {
            Cnpj::parse(text).map_err(|error| {
                match error {
                    CnpjError::Malformed => (
                        "invalid_cnpj",
                        "Expected a CNPJ of twelve letters or digits and two check digits, such as 12.ABC.345/01DE-35.".to_owned(),
                        "Esperado um CNPJ com doze letras ou dígitos e dois dígitos verificadores, como 12.ABC.345/01DE-35."
                        .to_owned(),
                    ),
                    CnpjError::WrongCheckDigits => (
                        "invalid_cnpj",
                        "The check digits of the CNPJ do not match. Check it for typing errors.".to_owned(),
                        "Os dígitos verificadores do CNPJ não conferem. Verifique se há erro de digitação.".to_owned(),
                    ),
                }
            })
        })
    }

    fn contact(
        &mut self,
        name: Option<&String>,
        responsible: Option<&ContactBody>,
        email: Option<&String>,
        address: Option<&AddressBody>,
    ) -> Option<Contact> {
        let root = Path::Root;
        let name = self.store_name(&root.member("name"), name);
        let responsible = self.person(&root.member("responsible"), responsible);
        let path = root.member("email");
        let email = self.required_text(&path, email, bounds::EMAIL);
        let email = self.email(&path, email);
        let address = self.required_address(&root.member("address"), address);
        Some(Contact {
            name: name?,
            responsible: responsible?,
            email: email?,
            address: address?,
        })
    }

    pub(super) fn email(&mut self, path: &Path<'_>, text: Option<String>) -> Option<Email> {
        self.parsed(path, text, |text| {
            Email::parse(text).map_err(|_| {
                let local = text.rsplit_once('@').map_or(0, |(local, _)| local.trim_start().len());
                if local > MAX_LOCAL_PART {
                    let en = format!(
                        "The part before the @ has {local} bytes, but no email address can have more than {MAX_LOCAL_PART} there. Check it."
                    );
                    let pt = format!(
                        "A parte antes do @ tem {local} bytes, mas nenhum e-mail pode ter mais de {MAX_LOCAL_PART} ali. Confira o e-mail."
                    );
                    return ("invalid_email", en, pt);
                }
                let en = "Expected an email address, such as loja@exemplo.com.br.".to_owned();
                ("invalid_email", en, "Esperado um e-mail, como loja@exemplo.com.br.".to_owned())
            })
        })
    }

    fn store_name(&mut self, path: &Path<'_>, name: Option<&String>) -> Option<String> {
        let name = self.required_text(path, name, bounds::STORE_NAME)?;
        let (min, max) = bounds::STORE_NAME.into_inner();
        if name.chars().count() < min {
            let en = format!("Expected {min} to {max} characters.");
            let pt = format!("Esperados de {min} a {max} caracteres.");
            self.reject(path, "too_short", en, pt);
            return None;
        }
        Some(name)
    }

    fn person(&mut self, path: &Path<'_>, body: Option<&ContactBody>) -> Option<Person> {
        let Some(body) = body else {
            self.required(path);
            return None;
        };
        let name = self.required_text(&path.member("name"), body.name.as_ref(), bounds::NAME);
        let phone = self.required_text(&path.member("phone"), body.phone.as_ref(), bounds::NAME);
        let phone = self.phone(&path.member("phone"), phone);
        Some(Person {
            name: name?,
            phone: Some(phone?),
        })
    }

    fn required_address(&mut self, path: &Path<'_>, body: Option<&AddressBody>) -> Option<Address> {
        if body.is_none() {
            self.required(path);
        }
        body.map(|body| self.address(path, body, Need::Visit))
    }

    pub(super) fn password(&mut self, path: &Path<'_>, password: Option<String>) -> Option<String> {
        let Some(password) = password.filter(|password| !password.is_empty()) else {
            self.required(path);
            return None;
        };
        let (min, max) = bounds::PASSWORD.into_inner();
        let length = password.chars().count();
        if (min..=max).contains(&length) {
            return Some(password);
        }
        let code = if length < min {
            "too_short"
        } else {
            "too_long"
        };
        let en = format!("Expected {min} to {max} characters.");
        self.reject(
            path,
            code,
            en,
            format!("Esperados de {min} a {max} caracteres."),
        );
        None
    }

    fn category(&mut self, path: &Path<'_>, category: Option<Id>) -> Option<u8> {
        let Some(Id(number)) = category else {
            self.required(path);
            return None;
        };
        let max = Store::CATEGORIES.len();
        let known = u8::try_from(number)
            .ok()
            .filter(|number| (1..=max).contains(&usize::from(*number)));
        if known.is_none() {
            let en = format!("Expected an integer from 1 to {max}.");
            self.reject(
                path,
                "out_of_range",
                en,
                format!("Esperado um número inteiro de 1 a {max}."),
            );
        }
        known
    }

    fn billing(&mut self, path: &Path<'_>, floor: Option<f64>) -> Billing {
        let Some(floor) = floor else {
            return Billing::Invoiced;
        };
        match Money::from_number(floor) {
            Ok(floor) if is_within(floor, bounds::PREPAID_FLOOR) => Billing::Prepaid { floor },
            _ => {
                let (min, max) = bounds::PREPAID_FLOOR.into_inner();
                let en = format!(
                    "Expected an amount from {min} to {max} with at most two decimal places."
                );
                let pt = format!(
                    "Esperado um valor de {min} a {max} com no máximo duas casas decimais."
                );
                self.reject(path, "out_of_range", en, pt);
                Billing::Invoiced
            }
        }
    }
}
