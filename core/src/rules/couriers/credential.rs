//! Credentials whose values contain the courier's ID, by which the courier is found. Only their
//! hashes are stored, with the courier.

use crate::model::CourierId;

/// The kind of a credential. A value of one kind is never valid as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// The key with which a device reports positions.
    Device,
    /// The code of a sign-in link.
    SignIn,
    /// A session of the courier's app.
    Session,
}

impl Credential {
    fn prefix(self) -> &'static str {
        match self {
            Credential::Device => "dev_",
            Credential::SignIn => "in_",
            Credential::Session => "ses_",
        }
    }

    /// Returns the value for a courier and a key that is derived from a nonce.
    pub fn text(self, courier: CourierId, key: &str) -> String {
        format!("{}{courier}_{key}", self.prefix())
    }

    /// Returns the courier in a value of this kind.
    pub fn courier(self, text: &str) -> Option<CourierId> {
        CourierId::parse(text.strip_prefix(self.prefix())?.split_once('_')?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_names_its_courier_and_its_kind() {
        let id = CourierId::new(57).unwrap();
        let all = [Credential::Device, Credential::SignIn, Credential::Session];
        assert_eq!(
            all.map(|kind| kind.text(id, "dsp_x")),
            ["dev_57_dsp_x", "in_57_dsp_x", "ses_57_dsp_x"]
        );
        for kind in all {
            let accepted = all.map(|other| other.courier(&kind.text(id, "dsp_x")).is_some());
            assert_eq!(accepted, all.map(|other| other == kind));
            assert_eq!(kind.courier(&kind.text(id, "dsp_x")), Some(id));
        }
        for text in [
            "",
            "dev_",
            "dev_57",
            "dev__dsp_x",
            "dev_0_dsp_x",
            "dev_x_dsp_x",
            "dsp_57_x",
            "DEV_57_x",
        ] {
            assert_eq!(Credential::Device.courier(text), None, "{text}");
        }
    }
}
