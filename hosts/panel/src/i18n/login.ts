/** The texts of the login. */

import { translated } from "./language";

const en = {
  title: "Log in",
  lead: "For stores that deliver with Despacho.",
  email: "Email",
  password: "Password",
  show: "Show password",
  submit: "Log in",
  forgot:
    "Forgot your password? An owner of the store or the operator can give you a link that sets a new one.",
  ended: "Your session has ended. Log in again to continue; your input was saved.",
  demo: "This is a demo. The login details are already filled in.",
};

const pt: typeof en = {
  title: "Entrar",
  lead: "Para lojas que entregam com o Despacho.",
  email: "E-mail",
  password: "Senha",
  show: "Mostrar senha",
  submit: "Entrar",
  forgot:
    "Esqueceu a senha? Um proprietário da loja ou o operador pode gerar um link que define uma nova.",
  ended: "Sua sessão foi encerrada. Entre novamente para continuar; o que você digitou foi salvo.",
  demo: "Esta é uma demonstração. O login já está preenchido.",
};

export const loginTexts = translated(en, pt);
