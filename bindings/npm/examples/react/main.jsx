import { useState } from "react";
import { createRoot } from "react-dom/client";
import "despacho/preview-element";

const PRODUCTS = 57.9;
const money = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });

function Checkout() {
  const [fee, setFee] = useState(0);
  const [reason, setReason] = useState("");
  return (
    <main>
      <h1>Finalizar compra</h1>
      <despacho-preview
        contextUrl="./context.json"
        preparationTime={20}
        ondespacho-price={({ detail }) => {
          setFee(detail.preview?.deliveryFee ?? 0);
          setReason("");
        }}
        ondespacho-error={({ detail }) => setReason(detail.code)}
      />
      <p>
        Total: <output>{money.format(PRODUCTS + fee)}</output>
      </p>
      <button disabled={fee === 0 || reason !== ""}>Pedir</button>
    </main>
  );
}

createRoot(document.querySelector("#root")).render(<Checkout />);
