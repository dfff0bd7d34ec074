/** The texts of the import of orders. */

import { translated } from "./language";

const orders = (n: number) => (n === 1 ? "1 order" : `${n} orders`);
const pedidos = (n: number) => (n === 1 ? "1 pedido" : `${n} pedidos`);

const en = {
  title: "Import orders",
  lead: "One order with one delivery per line, at most 200. Nothing is created before you have seen the errors and prices.",
  file: "CSV file",
  paste: "Or paste the lines, with the column names in the first line",
  check: "Check the lines",
  template: "Download a template",
  columns: "Columns",
  columnsHint:
    "Only the code and an address are required. The separator is ;, a tab or a comma. Numbers can be written as 1.200,50, and values as R$ 1.200,50. paid and delivery_code are yes or no. vehicle is BICYCLE, SCOOTER, MOTORBIKE_BAG, MOTORBIKE_BOX, CAR or VUC; separate several with spaces.",
  line: "Line",
  result: "Result",
  price: "Price",
  tooLarge: "The file is larger than 1 MB.",
  noRows: "There are no lines below the column names.",
  tooMany: (n: number) => `There are ${n} lines, but at most 200 can be imported at once.`,
  missing: (names: string) => `The first line must contain these column names: ${names}.`,
  ignored: (names: string) => `These columns are unknown and ignored: ${names}.`,
  yesOrNo: "Use yes or no.",
  twoMeanings: (text: string) =>
    `${text} can be read with and without thousandths. Write the thousands without a mark, and decimals with two digits, such as 1200,50.`,
  brokenQuote: (line: number) =>
    `In line ${line}, a quote (") opens a cell and is not closed before the next separator. Close it, or remove it.`,
  repeated: (line: number) => `The code is already in line ${line}.`,
  states: {
    unchecked: "Not checked",
    checking: "Checking…",
    ready: "Ready",
    invalid: "Has errors",
    sending: "Creating…",
    created: "Created",
    failed: "Not created",
  },
  checking: (done: number, all: number) => `Checked ${done} of ${all} lines.`,
  summary: (ready: number, total: string) => `${orders(ready)} ready, ${total} in total.`,
  invalid: (n: number) =>
    n === 1
      ? "1 line has errors and will not be created."
      : `${n} lines have errors and will not be created.`,
  estimated: "estimated price",
  create: (n: number) => `Create ${orders(n)}`,
  stop: "Stop",
  resume: (n: number) => `Resume: ${orders(n)} left`,
  progress: (done: number, all: number) => `Created ${done} of ${orders(all)}.`,
  waiting: "Waiting for a connection. The import then continues.",
  done: (n: number) => `${orders(n)} created.`,
  again: "New import",
};

const pt: typeof en = {
  title: "Importar pedidos",
  lead: "Um pedido com uma entrega por linha, no máximo 200. Nada é criado antes de você ver os erros e os preços.",
  file: "Arquivo CSV",
  paste: "Ou cole as linhas, com os nomes das colunas na primeira linha",
  check: "Conferir as linhas",
  template: "Baixar um modelo",
  columns: "Colunas",
  columnsHint:
    "Só o código e um endereço são obrigatórios. O separador é ;, tabulação ou vírgula. Os números podem ser escritos como 1.200,50 e os valores como R$ 1.200,50. pago e codigo_de_entrega são sim ou não. veiculo é BICYCLE, SCOOTER, MOTORBIKE_BAG, MOTORBIKE_BOX, CAR ou VUC; separe vários com espaços.",
  line: "Linha",
  result: "Resultado",
  price: "Preço",
  tooLarge: "O arquivo tem mais de 1 MB.",
  noRows: "Não há linhas abaixo dos nomes das colunas.",
  tooMany: (n) => `Há ${n} linhas, mas só é possível importar 200 por vez.`,
  missing: (names) => `A primeira linha deve conter estes nomes de colunas: ${names}.`,
  ignored: (names) => `Estas colunas são desconhecidas e foram ignoradas: ${names}.`,
  yesOrNo: "Use sim ou não.",
  twoMeanings: (text) =>
    `${text} pode significar milhares ou milésimos. Escreva os milhares sem separador e as casas decimais com dois dígitos, como 1200,50.`,
  brokenQuote: (line) =>
    `Na linha ${line}, uma aspa (") abre uma célula e não é fechada antes do próximo separador. Feche-a ou apague-a.`,
  repeated: (line) => `O código já está na linha ${line}.`,
  states: {
    unchecked: "Não conferida",
    checking: "Conferindo…",
    ready: "Pronta",
    invalid: "Com erros",
    sending: "Criando…",
    created: "Criado",
    failed: "Não criado",
  },
  checking: (done, all) => `${done} de ${all} linhas conferidas.`,
  summary: (ready, total) => `${pedidos(ready)} para criar, ${total} no total.`,
  invalid: (n) =>
    n === 1 ? "1 linha tem erros e não será criada." : `${n} linhas têm erros e não serão criadas.`,
  estimated: "valor estimado",
  create: (n) => `Criar ${pedidos(n)}`,
  stop: "Parar",
  resume: (n) => (n === 1 ? "Retomar: falta 1 pedido" : `Retomar: faltam ${n} pedidos`),
  progress: (done, all) => `${done} de ${pedidos(all)} criados.`,
  waiting: "Aguardando conexão. Depois, a importação continua.",
  done: (n) => (n === 1 ? "1 pedido criado." : `${n} pedidos criados.`),
  again: "Nova importação",
};

export const importTexts = translated(en, pt);
