//! Proofs of steps, and the rules for them.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{
        PhotoId, Point,
        order::{ProofPart, ProofParts, ProofRule, ProofStep},
    },
    wire::{SendProof, SetProofRule, SetProofRules},
};

/// Validates the rules of a store.
///
/// # Errors
/// Every invalid field.
pub fn proof_rules(body: Body<SetProofRules>) -> Result<Vec<ProofRule>, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let path = root.member("rules");
    let Some(sent) = sent.rules else {
        checker.required(&path);
        return checker.finish(None);
    };
    checker.has_at_most(&path, sent.len(), bounds::PROOF_RULES);
    let rules = sent
        .iter()
        .take(*bounds::PROOF_RULES.end())
        .enumerate()
        .map(|(index, rule)| checker.proof_rule(&path.item(index), rule));
    let rules = rules.collect::<Vec<_>>().into_iter().collect();
    checker.finish(rules)
}

impl Checker {
    fn proof_rule(&mut self, path: &Path<'_>, sent: &SetProofRule) -> Option<ProofRule> {
        let at = path.member("step");
        let step = self
            .required_text(&at, sent.step.as_ref(), bounds::NAME)
            .and_then(|name| {
                let step = ProofStep::parse(&name);
                if step.is_none() {
                    self.unknown(
                        &at,
                        &ProofStep::ALL
                            .iter()
                            .map(|step| step.name())
                            .collect::<Vec<_>>(),
                    );
                }
                step
            });
        let at = path.member("reason");
        let reason = self.text(&at, sent.reason.as_ref(), bounds::NAME);
        if reason.is_some() && step.is_some_and(|step| step != ProofStep::Failure) {
            let en = "Only a failure has a reason. Omit it.";
            self.reject(
                &at,
                "not_applicable",
                en,
                "Somente uma falha tem motivo. Não envie este campo.",
            );
        }
        let at = path.member("requires");
        let names = sent.requires.as_deref().unwrap_or_default();
        if names.is_empty() {
            self.required(&at);
        }
        if !self.has_at_most(&at, names.len(), bounds::PROOF_PARTS) {
            return None;
        }
        let mut requires = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            match ProofPart::parse(name.trim()) {
                Some(part) => requires.push(part),
                None => {
                    let known: Vec<_> = ProofPart::ALL.iter().map(|part| part.name()).collect();
                    self.unknown(&at.item(index), &known);
                }
            }
        }
        let requires = ProofPart::ALL
            .iter()
            .copied()
            .filter(|part| requires.contains(part))
            .collect();
        Some(ProofRule {
            step: step?,
            reason,
            requires,
        })
    }

    /// Reads the proof of a step.
    pub(super) fn proof(&mut self, sent: Option<SendProof>) -> Option<ProofParts> {
        let Some(sent) = sent else {
            return Some(ProofParts::default());
        };
        let root = Path::Root;
        let path = root.member("proof");
        let at = path.member("photoIds");
        let ids = sent.photo_ids.unwrap_or_default();
        if !self.has_at_most(&at, ids.len(), bounds::PROOF_PHOTOS) {
            return None;
        }
        let mut photos = Vec::with_capacity(ids.len());
        for (index, id) in ids.iter().enumerate() {
            match PhotoId::new(id.0) {
                Some(id) => photos.push(id),
                None => self.unknown_photo(&at.item(index)),
            }
        }
        photos.dedup();
        let position = match (sent.latitude, sent.longitude) {
            (Some(latitude), Some(longitude)) => self.point(&path, latitude, longitude),
            (None, None) => None,
            (latitude, _) => self.incomplete_point(&path, latitude.is_none()),
        };
        Some(ProofParts {
            photos,
            received_by: self.text(
                &path.member("receivedBy"),
                sent.received_by.as_ref(),
                bounds::NAME,
            ),
            note: self.text(&path.member("note"), sent.note.as_ref(), bounds::NOTE),
            position,
        })
    }

    fn incomplete_point(&mut self, path: &Path<'_>, lacks_latitude: bool) -> Option<Point> {
        let name = if lacks_latitude {
            "latitude"
        } else {
            "longitude"
        };
        let en = "Only one coordinate was sent. Send both or neither.";
        let pt = "Só uma coordenada foi enviada. Envie as duas ou nenhuma.";
        self.reject(&path.member(name), "incomplete_coordinates", en, pt);
        None
    }

    fn unknown(&mut self, path: &Path<'_>, known: &[&str]) {
        let known = known.join(", ");
        let en = format!("Unknown value. Send one of {known}.");
        self.reject(
            path,
            "unknown_value",
            en,
            format!("Valor desconhecido. Envie um destes: {known}."),
        );
    }

    fn unknown_photo(&mut self, path: &Path<'_>) {
        let en = "You sent no photo with this ID for this order. Check photoIds.";
        let pt = "Você não enviou nenhuma foto com este ID para este pedido. Confira photoIds.";
        self.reject(path, "unknown_photo", en, pt);
    }
}

/// Returns the problem of a photo in a proof that the courier did not send for the order.
pub fn unknown_photo(index: usize) -> Problem {
    let (mut checker, root) = (Checker::default(), Path::Root);
    let (proof, list) = (root.member("proof"), "photoIds");
    checker.unknown_photo(&proof.member(list).item(index));
    checker.problem()
}
