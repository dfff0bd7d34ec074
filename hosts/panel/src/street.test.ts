import { expect, test } from "vitest";
import { splitStreet } from "./street";

/** Returns the parts of a street as `street | number | complement`. */
function parts(typed: string): string | null {
  const found = splitStreet(typed);
  return found && [found.street, found.number, found.complement].join(" | ").replace(/ \| $/, "");
}

test.each([
  ["Av. Paulista 1578", "Av. Paulista | 1578"],
  ["Av. Paulista, 1.578", "Av. Paulista | 1.578"],
  ["R. Augusta, 1508 ap 12", "R. Augusta | 1508 | ap 12"],
  ["R. Augusta, 1508 - ap 12", "R. Augusta | 1508 | ap 12"],
  ["R.Augusta,1508,ap.12", "R.Augusta | 1508 | ap.12"],
  ["R. Augusta nº 1508 apto. 12 bloco B", "R. Augusta | 1508 | apto. 12 bloco B"],
  ["Rua Augusta n. 1508", "Rua Augusta | 1508"],
  ["Rua Augusta, número 1508", "Rua Augusta | 1508"],
  ["Rua Augusta - 1508", "Rua Augusta | 1508"],
  ["  Rua Augusta 1508, 3º andar ", "Rua Augusta | 1508 | 3º andar"],
  ["Rua 25 de Março, 100", "Rua 25 de Março | 100"],
  ["Rua 13 de Maio 1300 casa 2", "Rua 13 de Maio | 1300 | casa 2"],
  ["Avenida 9 de Julho 3000", "Avenida 9 de Julho | 3000"],
  ["Rua XV de Novembro 50 sala 3", "Rua XV de Novembro | 50 | sala 3"],
  ["Rua João XXIII 45", "Rua João XXIII | 45"],
  ["Travessa 3 de Maio, 22 fundos", "Travessa 3 de Maio | 22 | fundos"],
  ["Rua São João 12A", "Rua São João | 12A"],
  ["Rua Sa\u0303o Joa\u0303o, 12-B", "Rua São João | 12-B"],
  ["Alameda Santos, 1000, cj 45", "Alameda Santos | 1000 | cj 45"],
  ["Rua A, s/n", "Rua A | s/n"],
  ["Rua das Flores S/Nº próximo à padaria", "Rua das Flores | S/Nº | próximo à padaria"],
  ["Rua 7, 100", "Rua 7 | 100"],
  ["Rua Casa Branca 50", "Rua Casa Branca | 50"],
  ["Rua Torres Homem 120 torre B", "Rua Torres Homem | 120 | torre B"],
  ["Praça da Sé, 5, loja 2", "Praça da Sé | 5 | loja 2"],
  ["Paulista, 1578", "Paulista | 1578"],
  ["Rodovia Raposo Tavares, 22140", "Rodovia Raposo Tavares | 22140"],
])("%s is split", (typed, expected) => {
  expect(parts(typed)).toBe(expected);
  // A street that was split is not split further.
  expect(splitStreet(expected.split(" | ")[0]!)).toBeNull();
});

test.each([
  "",
  "Rua",
  "Rua Augusta",
  "Rua 7",
  "Rua 7 100",
  "R. 15",
  "Rua 25 de Março",
  "Praça 14 Bis",
  "Rua C 15",
  "Rua C-15",
  "Rua Projetada 12",
  "QNM 12 Conjunto B Casa 5",
  "SQS 308 Bloco C",
  "SQN 208, 12",
  "SHIS QI 5 Conjunto 3 Casa 10",
  "Quadra 3, Lote 5",
  "Rua 12 Quadra 5 Lote 3",
  "Rua das Flores Quadra 3 Lote 5",
  "Rua das Flores, Qd 3 Lt 5",
  "Rodovia BR-101, km 205",
  "Rodovia BR-101 km 205",
  "Rodovia BR 101",
  "Rod. Raposo Tavares 22",
  "Rod. Raposo Tavares, 12,5 km",
  "Rua Augusta 1508 Consolação",
  "Rua Augusta, 1508 - Consolação, São Paulo - SP",
  "R. Augusta, 1508, 12",
  "Rua Augusta, 1508/12",
  "Rua Augusta apto 12",
  "Rua Augusta, 2º andar, 1508",
  "Paulista 1578",
  "1508",
])("%s stays as it is typed", (typed) => {
  expect(splitStreet(typed)).toBeNull();
});
