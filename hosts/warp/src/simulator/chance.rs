//! What goes wrong, decided by a seed: the same seed gives the same mishaps to the same orders.

use despacho_core::domain::hmac_sha256;

/// How often things go wrong, in per cent of the occasions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// A ride takes three times as long.
    pub late: u8,
    /// A courier takes an order and is never heard of again until it is taken back.
    pub no_show: u8,
    /// A courier gives an order back before the pickup.
    pub decline: u8,
    /// Nobody opens, and the goods go back.
    pub absent: u8,
    /// Somebody tells a wrong code first.
    pub wrong_code: u8,
    /// An answer is lost on the way, so that the step is sent again.
    pub lost_connection: u8,
}

/// A mishap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mishap {
    Late,
    NoShow,
    Decline,
    Absent,
    WrongCode,
    LostConnection,
}

/// Decides by a seed.
#[derive(Clone, Debug)]
pub(super) struct Chance {
    seed: [u8; 32],
    rates: Rates,
}

impl Chance {
    pub(super) fn new(seed: u64, rates: Rates) -> Chance {
        Chance { seed: hmac_sha256(&[0; 32], &[b"simulation", &seed.to_be_bytes()]), rates }
    }

    /// Whether a mishap strikes a robot on an occasion: one of an order's or of a delivery's.
    pub(super) fn strikes(&self, mishap: Mishap, robot: u64, occasion: u64) -> bool {
        let rate = match mishap {
            Mishap::Late => self.rates.late,
            Mishap::NoShow => self.rates.no_show,
            Mishap::Decline => self.rates.decline,
            Mishap::Absent => self.rates.absent,
            Mishap::WrongCode => self.rates.wrong_code,
            Mishap::LostConnection => self.rates.lost_connection,
        };
        let drawn = hmac_sha256(&self.seed, &[&[mishap as u8], &robot.to_be_bytes(), &occasion.to_be_bytes()]);
        u16::from_be_bytes([drawn[0], drawn[1]]) % 100 < u16::from(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_and_rates_are_kept() {
        let rates = Rates { late: 30, no_show: 100, ..Rates::default() };
        let (one, same, other) = (Chance::new(7, rates), Chance::new(7, rates), Chance::new(8, rates));
        let drawn =
            |chance: &Chance| (0..2_000).map(|order| chance.strikes(Mishap::Late, 1, order)).collect::<Vec<_>>();
        assert_eq!(drawn(&one), drawn(&same));
        assert_ne!(drawn(&one), drawn(&other));
        let late = drawn(&one).into_iter().filter(|late| *late).count();
        assert!((500..700).contains(&late), "{late} of 2,000");
        assert!(one.strikes(Mishap::NoShow, 1, 1) && !one.strikes(Mishap::Decline, 1, 1));
    }
}
