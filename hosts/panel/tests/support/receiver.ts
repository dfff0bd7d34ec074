/** A receiver of webhooks. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { uniqueCode } from "./api";

export interface Receiver {
  url: string;
  /** The status of its next responses. */
  status: number;
  /** The IDs of the messages, in the order of their arrival. */
  received: (string | string[] | undefined)[];
  close: () => void;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    receiver.received.push(request.headers["webhook-id"]);
    request.resume().on("end", () => response.writeHead(receiver.status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/${uniqueCode("loja")}`,
    status: 204,
    received: [],
    close: () => server.close(),
  };
  return receiver;
}
