// The texts of <despacho-preview> and the formats of its values.

/** The fields of an address in their order, each with its autofill type, its maximum length and whether an order requires it. */
export const FIELDS = [
  { name: "zipCode", autocomplete: "postal-code", maxLength: 9, inputMode: "numeric" },
  { name: "number", autocomplete: "off", maxLength: 20, required: true },
  { name: "street", autocomplete: "address-line1", maxLength: 255, required: true },
  { name: "complement", autocomplete: "address-line2", maxLength: 255 },
  { name: "neighborhood", autocomplete: "address-level3", maxLength: 255 },
  { name: "city", autocomplete: "address-level2", maxLength: 255, required: true },
  { name: "state", autocomplete: "address-level1", required: true },
];

export const STATES =
  "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split(" ");

const EN = {
  address: "Delivery address",
  zipCode: "CEP",
  number: "Number",
  street: "Street",
  complement: "Complement (optional)",
  neighborhood: "Neighbourhood (optional)",
  city: "City",
  state: "State",
  chooseState: "Choose",
  fee: "Delivery",
  range: (min, max) => `between ${min} and ${max}`,
  estimated: "Estimated price: the exact address can change it.",
  inexact: "Estimated price: the shop confirms it.",
  pickup: "Expected pickup",
  delivery: "Expected delivery",
  loading: "Loading the delivery price…",
  enterAddress: "Enter the CEP, or the city and the state, to see the delivery price.",
  shortPostcode: "A CEP has eight digits, for example 01310-100.",
  missing: (fields) => `To order, also enter: ${fields}.`,
  unavailable: "The delivery price could not be loaded. Check your connection.",
  retry: "Try again",
  required: "Enter an address with a delivery price.",
};

const PT = {
  address: "Endereço de entrega",
  zipCode: "CEP",
  number: "Número",
  street: "Rua",
  complement: "Complemento (opcional)",
  neighborhood: "Bairro (opcional)",
  city: "Cidade",
  state: "Estado",
  chooseState: "Escolha",
  fee: "Entrega",
  range: (min, max) => `entre ${min} e ${max}`,
  estimated: "Valor estimado: o endereço exato pode alterá-lo.",
  inexact: "Valor estimado: a loja confirma o valor.",
  pickup: "Coleta prevista",
  delivery: "Entrega prevista",
  loading: "Carregando o valor da entrega…",
  enterAddress: "Informe o CEP, ou a cidade e o estado, para ver o valor da entrega.",
  shortPostcode: "O CEP tem oito dígitos, por exemplo 01310-100.",
  missing: (fields) => `Para pedir, informe também: ${fields}.`,
  unavailable: "Não foi possível carregar o valor da entrega. Verifique sua conexão.",
  retry: "Tentar de novo",
  required: "Informe um endereço com valor de entrega.",
};

/** Returns the texts and formats of a locale: Portuguese, or English for every locale that starts with `en`. */
export function language(locale) {
  const english = /^en\b/i.test(locale);
  const tag = english ? "en" : "pt-BR";
  const text = english ? EN : PT;
  const money = new Intl.NumberFormat(tag, { style: "currency", currency: "BRL" });
  const list = new Intl.ListFormat(tag);
  const clock = new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit", hour12: false });
  const day = new Intl.DateTimeFormat(tag, {
    weekday: "short",
    day: "2-digit",
    month: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
  return {
    tag,
    text,
    money: (amount) => money.format(amount),
    list: (names) => list.format(names.map((name) => text[name].toLowerCase())),
    time: (instant) => {
      const date = new Date(instant);
      return (date.toDateString() === new Date().toDateString() ? clock : day).format(date);
    },
  };
}

const digits = (text) => text.replace(/\D/g, "").slice(0, 8);

/** Returns the digits of a CEP with the hyphen after the fifth: `01310-1`. */
export const maskPostcode = (text) => digits(text).replace(/^(\d{5})(?=\d)/, "$1-");

/** Returns the position in the masked text that has as many digits before it as `caret` has in `text`. */
export function maskCaret(text, caret) {
  const before = digits(text.slice(0, caret)).length;
  return before > 5 ? before + 1 : before;
}
