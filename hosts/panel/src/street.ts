/** The house number and the complement in a street, as people say and paste an address: `R. Augusta, 1508 ap 12`. */

export interface StreetParts {
  street: string;
  number: string;
  complement: string;
}

const KIND =
  /^(?:rua|r|avenida|av|alameda|al|travessa|trav|tv|praça|praca|pça|pca|largo|lgo|estrada|estr|rodovia|rod|ladeira|beco|viela|via|marginal|passagem|servidão)(?:\.\s*|\s+)/iu;
/** In `1508 ap 12` the rest is a complement, but in `1508 Consolação` it is a neighbourhood. */
const COMPLEMENT =
  /^(?:(?:\d{1,3}\s?[ºª°o]?\s*andar|ap|apt|apto|apart|apartamento|bl|bloco|box|casa|cs|cj|conj|conjunto|cond|condom[ií]nio|ed|edif[ií]cio|fds|fundos|frente|galp[aã]o|kitnet|lj|loja|lote|lt|port[aã]o|qd|quadra|sala|sl|sobrado|sobreloja|t[eé]rreo|torre)(?![\p{L}])|pr[oó]xim[oa]\s)/iu;
/** A number after these words is not a house number: `Quadra 3`, `km 22`, `Rua Projetada 12`. */
const NUMBERED =
  /(?<![\p{L}])(?:andar|ap|apt|apto|apartamento|bl|bloco|box|br|casa|cs|cj|conj|conjunto|estadual|federal|gleba|km|lj|loja|lote|lt|municipal|particular|projetada|qd|quadra|sala|setor|sl|sp|torre|vicinal)\.?\s*$/iu;
const PREFIX = /(?<![\p{L}])(?:n|no|nº|n°|nr|nro|num|n[uú]mero)\.?\s*$/iu;
/** `1508`, `1.508`, `12A`, `12-A`, `s/n`. */
const NUMBER =
  /(?<![\p{L}\d/.-])(?:\d{1,2}\.\d{3}|\d{1,5})(?:-?[a-z])?(?![\p{L}\d/])|(?<=[\s,])s\/n[ºo°]?(?![\p{L}])/giu;

/** Returns the parts of a street, or null in doubt: then the API reads the street as it is typed. */
export function splitStreet(typed: string): StreetParts | null {
  const text = typed.normalize("NFC").trim();
  for (const found of text.matchAll(NUMBER)) {
    const complement = text.slice(found.index + found[0].length).replace(/^[\s,;–-]+/u, "");
    if (complement !== "" && !COMPLEMENT.test(complement)) continue;
    const before = text.slice(0, found.index);
    const head = before.replace(PREFIX, "");
    const street = head.replace(/[\s,;–-]+$/u, "");
    const isMarked = head !== before || /[,;–-]\s*$/u.test(before) || /^s/i.test(found[0]);
    return isStreet(street, isMarked) && !NUMBERED.test(head)
      ? { street, number: found[0], complement }
      : null;
  }
  return null;
}

/** Whether text is a whole name. Without a comma or `nº` before it, a number can belong to the name: `Rua 7`, `Rua C 15`, `SQS 308`. */
function isStreet(text: string, isMarked: boolean): boolean {
  const name = text.replace(KIND, "");
  if (name === "" || /,/.test(name)) return false;
  if (name === text) return isMarked && !/\d/.test(name) && /\p{L}{3}/u.test(name);
  return isMarked || (/\p{L}{3}/u.test(name) && !/^rod/i.test(text));
}
