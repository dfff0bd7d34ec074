# Checked with mypy, not run: an ignored line without an error is an error itself.
from despacho_client.models import (
    CreateOrder,
    LocateByCity,
    LocateByCoordinates,
    LocateByZipCode,
    NewDelivery,
    OrderSituation,
    PreviewOrder,
    PreviewStop,
    StopPin,
    VisitAddress,
)

address = VisitAddress(street="Rua Augusta", number="1500", city="São Paulo", state="SP")
order = CreateOrder(code="A-1", deliveries=[NewDelivery(address=address, pin=StopPin.FIRST)])
stops = [
    PreviewStop(address=LocateByZipCode(zip_code="01304-001", street="Rua Augusta")),
    PreviewStop(address=LocateByCoordinates(latitude=-23.557, longitude=-46.66)),
    PreviewStop(address=LocateByCity(city="Osasco", state="SP")),
]
preview = PreviewOrder(deliveries=stops)
is_searching = OrderSituation(200) is OrderSituation.SEARCHING

VisitAddress()  # type: ignore[call-arg]
VisitAddress(number="1500", city="São Paulo", state="SP")  # type: ignore[call-arg]
VisitAddress(street=None, number="1500", city="São Paulo", state="SP")  # type: ignore[arg-type]
LocateByCity(city="Osasco")  # type: ignore[call-arg]
LocateByCoordinates(latitude=-23.557)  # type: ignore[call-arg]
NewDelivery(address={})  # type: ignore[arg-type]
NewDelivery(address=address, pin="middle")  # type: ignore[arg-type]
PreviewStop(address=stops)  # type: ignore[arg-type]
CreateOrder(deliveries=[])  # type: ignore[call-arg]
