//! Questions to one service: few retries with jitter, a pace, and rest for who keeps failing.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{
    breaker::{Breaker, Pace},
    world::{Answer, Missed, Note, Outcome, Question, World},
};

/// The first wait before another attempt; it doubles, and half of it is chance.
const BACKOFF: Duration = Duration::from_millis(100);

/// Why a service did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It took too long, could not be reached, or said 5xx or 429, at every attempt.
    Failed,
    /// It failed so often that it is left alone for now.
    Resting,
    /// More was asked than its pace allows.
    Paced,
    /// It said something that is not its protocol.
    Strange,
}

/// How a service is asked.
#[derive(Clone, Debug)]
pub struct Manners {
    /// For one attempt.
    pub timeout: Duration,
    /// Attempts at one question.
    pub attempts: u32,
    /// Questions a second; `None` for any number.
    pub per_second: Option<u32>,
}

/// A service at a base address, and how it has been doing.
#[derive(Debug)]
pub struct Service {
    name: &'static str,
    base: String,
    manners: Manners,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    breaker: Breaker,
    pace: Pace,
}

impl Service {
    /// A service by its name in metrics. Nothing is asked yet.
    pub fn new(name: &'static str, base: &str, manners: Manners) -> Service {
        Service { name, base: base.to_owned(), manners, state: Mutex::default() }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// An answer that is not of the service's protocol; it comes at once, so that the service need not be left alone for it.
    pub(crate) fn strange<W: World>(&self, world: &W, what: &'static str) -> Unanswered {
        self.count(world, Outcome::Strange);
        world.note(Note::Strange { service: self.name, what });
        Unanswered::Strange
    }

    /// The answer to a question, after as many attempts as manners allow.
    pub(crate) async fn ask<W: World>(&self, world: &W, question: &Question) -> Result<Answer, Unanswered> {
        if !self.with(|state| state.breaker.admits(world.elapsed())) {
            self.count(world, Outcome::Resting);
            return Err(Unanswered::Resting);
        }
        let url = format!("{}{}", self.base, question.target);
        for attempt in 0..self.manners.attempts {
            if attempt > 0 {
                world.pause(jittered(BACKOFF * 2_u32.saturating_pow(attempt - 1), world.chance())).await;
            }
            self.pace(world).await?;
            let outcome = match world.send(&url, question, self.manners.timeout).await {
                Ok(answer) if answer.status >= 500 => Outcome::ServerError,
                Ok(answer) if answer.status == 429 => Outcome::Refused,
                Ok(answer) => {
                    self.count(world, Outcome::Answered);
                    if self.with(|state| state.breaker.worked()) {
                        world.note(Note::Works { service: self.name });
                    }
                    return Ok(answer);
                }
                Err(Missed::Unreachable) => Outcome::Unreachable,
                Err(Missed::Late) => Outcome::Late,
            };
            self.count(world, outcome);
        }
        if self.with(|state| state.breaker.failed(world.elapsed())) {
            world.note(Note::Rests { service: self.name });
        }
        Err(Unanswered::Failed)
    }

    /// Waits for the service's pace. Where the wait would be longer than an answer may take there is no use in it.
    async fn pace<W: World>(&self, world: &W) -> Result<(), Unanswered> {
        let Some(per_second) = self.manners.per_second else { return Ok(()) };
        let (now, most) = (world.elapsed(), self.manners.timeout);
        match self.with(|state| state.pace.wait(now, per_second, most)) {
            Some(Duration::ZERO) => Ok(()),
            Some(wait) => {
                world.pause(wait).await;
                Ok(())
            }
            None => {
                self.count(world, Outcome::Paced);
                Err(Unanswered::Paced)
            }
        }
    }

    fn count<W: World>(&self, world: &W, outcome: Outcome) {
        world.note(Note::Asked { service: self.name, outcome });
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Half of a span, and a random part of the other half, so that who failed together does not come back together.
fn jittered(span: Duration, chance: u8) -> Duration {
    span / 2 + span * u32::from(chance) / 510
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_within_the_span() {
        for chance in 0..=u8::MAX {
            let wait = jittered(BACKOFF, chance);
            assert!(wait >= BACKOFF / 2 && wait <= BACKOFF, "{wait:?}");
        }
    }
}
