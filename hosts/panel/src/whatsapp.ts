/** Links that open a chat in WhatsApp with a draft, which a person then sends. */

/** Shops use WhatsApp with landlines too. The numbers of the whole country, such as 0800 and 4004, have no account. */
const BRAZILIAN = /^\+55[1-9]{2}(9\d{8}|(?![34]00[34])[2-5]\d{7})$/;
const FOREIGN = /^\+(?!55)[1-9]\d{7,14}$/;

/** Returns the link for a number in E.164, or null if the number cannot have an account. */
export function whatsappLink(phone: string | null, text: string): string | null {
  if (phone === null || !(BRAZILIAN.test(phone) || FOREIGN.test(phone))) return null;
  return `https://wa.me/${phone.slice(1)}?text=${encodeURIComponent(text)}`;
}

// The drafts are in Portuguese in both languages of the panel, like the messages of the service: it does not know the language of their reader.

interface OfStore {
  code: string;
  storeName?: string;
}

const orderOf = ({ code, storeName }: OfStore) =>
  `pedido ${code}${storeName ? ` de ${storeName}` : ""}`;

export function greeting(name: string | null): string {
  const first = name?.trim().split(/\s+/)[0];
  return first ? `Olá, ${first}!` : "Olá!";
}

/** The beginning of a message to a courier or a store. */
export const aboutOrder = (name: string | null, order: OfStore) =>
  `${greeting(name)} Sobre o ${orderOf(order)}: `;

/** The beginning of a message to a recipient. */
export const aboutYourOrder = (name: string | null, order: OfStore) =>
  `${greeting(name)} Sobre o seu ${orderOf(order)}: `;

/** The states in which a recipient can follow a delivery. */
const STATES: Record<number, string> = {
  150: "foi recebido",
  310: "saiu para entrega",
  320: "está a caminho",
  330: "chegou",
};

/** The message with the tracking link, or null once there is nothing more to follow. */
export function trackingMessage(
  stop: { name: string | null; situation: number; trackingUrl: string },
  order: OfStore,
): string | null {
  const state = STATES[stop.situation];
  return state === undefined
    ? null
    : `${greeting(stop.name)} Seu ${orderOf(order)} ${state}. Acompanhe aqui: ${stop.trackingUrl}`;
}

/** The courier's message to a recipient. */
export const arrivalMessage = (
  stop: { name: string | null; situation: number },
  order: OfStore,
): string =>
  `${greeting(stop.name)} ${stop.situation === 330 ? "Cheguei" : "Estou a caminho"} com o seu ${orderOf(order)}.`;
