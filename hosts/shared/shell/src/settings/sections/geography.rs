//! The settings of locations and distances: `places`, `pricing`, `geocoder` and `routing`.

use crate::settings::{
    Kind::{Choice, Text},
    Setting,
    Unit::{Count, Days, Metres, Milliseconds, Percent},
    value,
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "places.min-precision",
        Choice(&[
            "coordinates",
            "number",
            "street",
            "cep",
            "cep5",
            "neighbourhood",
            "municipality",
        ]),
        "Minimum precision of an address; less precise addresses get 422 address_imprecise, and \
         those located only by their municipality are marked as estimated",
    ),
    Setting::new(
        "pricing.estimates",
        Choice(&["ACCEPT", "LOWER", "REJECT"]),
        "What to do with a price that is an estimate because an address was located only by its \
         municipality: ACCEPT charges the expected price, LOWER the lower end of its range, \
         REJECT rejects the order with 422 address_imprecise; stores can differ (PATCH \
         /admin/stores/{storeId})",
    ),
    Setting::number(
        "geocoder.timeout-ms",
        Milliseconds,
        50..=30_000,
        "Timeout of one attempt at a geocoder; there are at most three",
    ),
    Setting::number(
        "geocoder.per-second",
        Count,
        1..=1_000,
        "Maximum requests per second to each geocoder; public geocoders allow 1",
    ),
    Setting::number(
        "geocoder.cache-days",
        Days,
        0..=3_650,
        "Time that a location is cached by a hash of the address; empty results are cached for \
         at most one day; 0 disables the cache",
    ),
    Setting::number(
        "geocoder.cache-entries",
        Count,
        1..=100_000_000,
        "Maximum number of cached results, of about 100 bytes each; the server stores them in \
         the file geocoder.db of the data folder",
    ),
    Setting::number(
        "routing.timeout-ms",
        Milliseconds,
        50..=30_000,
        "Timeout of one attempt at a road service; there are at most two",
    ),
    Setting::number(
        "routing.snap-m",
        Metres,
        10..=10_000,
        "Maximum distance between a location and a road; beyond it distances are estimated",
    ),
    Setting::number(
        "routing.duration-percent",
        Percent,
        50..=500,
        "Travel time of a courier in traffic as a percentage of the road network's free-flow time",
    ),
    Setting::number(
        "routing.osrm-points",
        Count,
        2..=10_000,
        "Maximum points of one OSRM request, its --max-table-size",
    ),
    Setting::number(
        "routing.valhalla-pairs",
        Count,
        1..=1_000_000,
        "Maximum pairs of one Valhalla request, its max_matrix_location_pairs",
    ),
    Setting::new(
        "routing.osrm-profile",
        Text("NAME", value::profile),
        "Profile in the URLs of OSRM requests",
    ),
    Setting::new(
        "routing.valhalla-costing",
        Choice(&["auto", "motorcycle", "motor_scooter", "bicycle"]),
        "Costing model of Valhalla requests",
    ),
];
