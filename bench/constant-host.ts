import { type AdapterPreference, chooseListener } from '../http/listener/choose-listener.ts';

// Answers every request with one buffer and one set of headers, on the adapter that the host uses: the bare cost of an
// answer.

interface Constant {
  readonly adapter: AdapterPreference;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
}

const { adapter, headers, bytes }: Constant = JSON.parse(process.argv[2] ?? '');
const body = Buffer.alloc(bytes, 'x');
const { open } = await chooseListener(adapter);
const listener = await open({ host: '127.0.0.1', port: 0 }, (exchange) => exchange.respond(200, headers, body));
process.stdout.write(`${JSON.stringify({ port: listener.port })}\n`);
