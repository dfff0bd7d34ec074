//! The visiting order for an order's stops, and the assignment of couriers to waiting orders.
