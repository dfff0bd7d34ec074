import { expect, test } from "vitest";
import {
  aboutOrder,
  aboutYourOrder,
  arrivalMessage,
  greeting,
  trackingMessage,
  whatsappLink,
} from "./whatsapp";

const order = { code: "A-12", storeName: "Cantina Demo" };

test("a link has the digits of the number and the whole text", () => {
  expect(whatsappLink("+5511999990000", "Olá!")).toBe("https://wa.me/5511999990000?text=Ol%C3%A1!");
  for (const text of [
    "São João, coração",
    "🛵 a caminho 👍🏽",
    "linha 1\nlinha 2\r\n",
    "Pão & Cia #1 50% + a=b?",
    "https://x.example/t/a?b=c&d#e",
    "",
  ]) {
    const url = new URL(whatsappLink("+5511999990000", text) ?? "");
    expect([...url.searchParams]).toEqual([["text", text]]);
    expect(url.hash).toBe("");
  }
});

test("only numbers that can have an account have a link", () => {
  for (const number of ["+5511999990000", "+551133334444", "+14155552671", "+351912345678"])
    expect(whatsappLink(number, ""), number).toBe(`https://wa.me/${number.slice(1)}?text=`);
  for (const number of [
    null,
    "",
    "11999990000",
    "08001234567",
    "+558001234567",
    "+5508001234567",
    "+5540041234",
    "+551140041234",
    "+551130031234",
    "+551187654321",
    "+55190",
    "+5511999990000 ramal 2",
  ])
    expect(whatsappLink(number, ""), String(number)).toBeNull();
});

test("drafts name the person, the order and the store", () => {
  expect(greeting("Maria Silva")).toBe("Olá, Maria!");
  expect(greeting("  ")).toBe("Olá!");
  expect(aboutOrder("João Reis", order)).toBe("Olá, João! Sobre o pedido A-12 de Cantina Demo: ");
  expect(aboutYourOrder(null, { code: "7" })).toBe("Olá! Sobre o seu pedido 7: ");
  const stop = { name: "Maria Silva", trackingUrl: "https://x.example/t/a" };
  expect(trackingMessage({ ...stop, situation: 320 }, order)).toBe(
    "Olá, Maria! Seu pedido A-12 de Cantina Demo está a caminho. Acompanhe aqui: https://x.example/t/a",
  );
  expect(trackingMessage({ ...stop, situation: 150 }, order)).toContain("foi recebido");
  for (const situation of [400, 500, 600])
    expect(trackingMessage({ ...stop, situation }, order)).toBeNull();
  expect(arrivalMessage({ ...stop, situation: 320 }, order)).toBe(
    "Olá, Maria! Estou a caminho com o seu pedido A-12 de Cantina Demo.",
  );
  expect(arrivalMessage({ ...stop, situation: 330 }, order)).toBe(
    "Olá, Maria! Cheguei com o seu pedido A-12 de Cantina Demo.",
  );
});
