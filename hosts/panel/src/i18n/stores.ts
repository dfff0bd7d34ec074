/** The texts of branches. */

import { translated } from "./language";

const en = {
  title: "Branches",
  add: "New branch",
  empty: "No branches yet.",
  emptyHint:
    "Each branch has its own address, login and API keys. You can see the orders of all branches.",
  notParent: "This store is a branch. Only its parent store can manage branches.",
  parent: "Parent store",
  name: "Name",
  cnpj: "CNPJ",
  address: "Address",
  contact: "Contact",
  balance: "Balance",
  responsible: "Contact person",
  phone: "Phone",
  email: "Login email",
  password: "Password",
  passwordHint: "10 to 128 characters",
  industry: "Line of business",
  industries: {
    1: "Food",
    2: "Pharmacy",
    3: "Groceries",
    4: "Beverages",
    5: "Pets",
    6: "Flowers and gifts",
    7: "Documents",
    8: "Other",
  } as Record<number, string>,
  submit: "Create branch",
  created: (name: string) => `Branch ${name} created. Its API key:`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    "Its login and API keys stop working. Its orders remain visible. A branch with open orders cannot be removed.",
  removed: (name: string) => `Branch ${name} removed.`,
  section: { store: "Store", address: "Address", login: "Login" },
};

const pt: typeof en = {
  title: "Filiais",
  add: "Nova filial",
  empty: "Nenhuma filial ainda.",
  emptyHint:
    "Cada filial tem endereço, acesso e chaves de API próprios. Você vê os pedidos de todas.",
  notParent: "Esta loja é uma filial. Só a matriz pode gerenciar filiais.",
  parent: "Matriz",
  name: "Nome",
  cnpj: "CNPJ",
  address: "Endereço",
  contact: "Contato",
  balance: "Saldo",
  responsible: "Responsável",
  phone: "Telefone",
  email: "E-mail de acesso",
  password: "Senha",
  passwordHint: "De 10 a 128 caracteres",
  industry: "Ramo de atividade",
  industries: {
    1: "Alimentação",
    2: "Farmácia",
    3: "Mercado",
    4: "Bebidas",
    5: "Pet",
    6: "Flores e presentes",
    7: "Documentos",
    8: "Outro",
  },
  submit: "Criar filial",
  created: (name) => `Filial ${name} criada. Chave de API:`,
  removeTitle: (name) => `Remover ${name}?`,
  removeText:
    "O login e as chaves de API dela deixam de funcionar. Os pedidos continuam visíveis. Não é possível remover uma filial com pedidos em aberto.",
  removed: (name) => `Filial ${name} removida.`,
  section: { store: "Loja", address: "Endereço", login: "Acesso" },
};

export const branchTexts = translated(en, pt);
