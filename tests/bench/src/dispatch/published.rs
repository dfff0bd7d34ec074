//! Published results for the same family of instances, and results of published programs that were
//! run on them.

/// A set of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// Seeds 0 to 9.
    All240,
    /// Seeds 0 to 5.
    Seeds0To5,
    /// Seed 0, sizes `o50` and `r50`, for which the optimum with knowledge of the future is known.
    Sixteen,
}

impl Set {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Set::All240 => "all 240",
            Set::Seeds0To5 => "144",
            Set::Sixteen => "the 16",
        }
    }
}

/// The published results of a method. `None` is not published.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Published {
    pub(crate) method: &'static str,
    pub(crate) set: Set,
    /// Undelivered per cent, click-to-door, its 90th percentile, overage, ready-to-pickup and cost
    /// per order.
    pub(crate) values: [Option<f64>; 6],
    /// Click-to-door if every order is picked up when it is ready and delivered directly, with this
    /// method's travel times.
    pub(crate) floor: f64,
}

/// Floor of the 240 instances with travel times in whole minutes.
const FLOOR_240: f64 = 30.35;
/// Floor of the 144 instances with travel times in whole minutes.
const FLOOR_144: f64 = 30.78;
/// The same without rounding. FoodMatch's program does not round travel times, as its click-to-door
/// minus ready-to-pickup of 30.30 shows; it is half a minute per order in its favour.
const UNROUNDED_FLOOR_144: f64 = 30.28;
/// Floor of the 16 instances with travel times in whole minutes.
const FLOOR_16: f64 = 29.99;
/// The same without rounding.
const UNROUNDED_FLOOR_16: f64 = 29.47;

/// Sources: Reyes et al., "The Meal Delivery Routing Problem", 2018; Yildiz and Savelsbergh,
/// "Provably High-Quality Solutions for the Meal Delivery Routing Problem", 2019; Joshi et al.,
/// "Batching and Matching for Food Delivery in Dynamic Road Networks", 2021. "Program" means that
/// the authors' program was run on these instances, and "model" a short simulator of a rule.
pub(crate) const RESULTS: [Published; 10] = [
    Published {
        method: "Reyes et al. 2018, paper",
        set: Set::All240,
        values: [
            Some(0.25),
            Some(32.74),
            Some(49.3),
            Some(2.77),
            Some(1.93),
            Some(11.42),
        ],
        floor: FLOOR_240,
    },
    Published {
        method: "Reyes et al. without shared trips, paper",
        set: Set::All240,
        values: [Some(0.69), Some(32.72), None, None, Some(2.51), Some(11.26)],
        floor: FLOOR_240,
    },
    Published {
        method: "Reyes et al., ready times ± 8 min, paper",
        set: Set::All240,
        values: [Some(0.62), Some(34.03), None, None, Some(2.90), Some(11.32)],
        floor: FLOOR_240,
    },
    Published {
        method: "FoodMatch 2021, program",
        set: Set::Seeds0To5,
        values: [
            Some(0.51),
            Some(31.99),
            Some(46.5),
            Some(2.00),
            Some(1.70),
            Some(11.10),
        ],
        floor: UNROUNDED_FLOOR_144,
    },
    Published {
        method: "Reyes et al. in FoodMatch's program",
        set: Set::Seeds0To5,
        values: [
            Some(0.49),
            Some(33.17),
            Some(48.5),
            Some(2.55),
            Some(2.80),
            Some(11.42),
        ],
        floor: UNROUNDED_FLOOR_144,
    },
    Published {
        method: "search when ready, one order, model",
        set: Set::Seeds0To5,
        values: [
            Some(1.04),
            Some(41.21),
            Some(59.9),
            Some(6.52),
            Some(10.46),
            Some(11.09),
        ],
        floor: FLOOR_144,
    },
    Published {
        method: "10 min ahead, one order, model",
        set: Set::Seeds0To5,
        values: [
            Some(0.45),
            Some(33.70),
            Some(50.1),
            Some(3.11),
            Some(2.94),
            Some(11.32),
        ],
        floor: FLOOR_144,
    },
    Published {
        method: "optimum with the future known 2019, paper",
        set: Set::Sixteen,
        values: [Some(0.0), Some(30.67), None, None, Some(0.66), None],
        floor: FLOOR_16,
    },
    Published {
        method: "Reyes et al. 2018, paper",
        set: Set::Sixteen,
        values: [None, Some(31.88), None, None, Some(1.40), None],
        floor: FLOOR_16,
    },
    Published {
        method: "FoodMatch 2021, program",
        set: Set::Sixteen,
        values: [
            Some(0.05),
            Some(31.28),
            Some(43.6),
            Some(1.25),
            Some(1.62),
            Some(11.06),
        ],
        floor: UNROUNDED_FLOOR_16,
    },
];
