import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

// A process of its own, so that the load does not run on the thread that is measured. Holds long polls open over many
// runtimes and reads statuses at a fixed pace, whatever the answers take: a late answer delays no later question.

interface Load {
  readonly port: number;
  /** The header lines of every request, each with its line end. */
  readonly fields: string;
  readonly runtimeIds: readonly string[];
  readonly longPolls: number;
  readonly readsPerSecond: number;
  readonly seconds: number;
}

const load: Load = JSON.parse(process.argv[2] ?? '');
const connections = 64;
const isOver = (): boolean => performance.now() > end;

/** One keep-alive connection. */
class Line {
  readonly #socket: Socket;
  #answered: (body: string) => void = () => undefined;
  #received = '';

  constructor() {
    this.#socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      const answer = this.#whole();
      if (answer !== undefined) this.#answered(answer);
    });
    this.#socket.on('close', () => {
      throw new Error('the host closed a connection');
    });
  }

  ask(path: string): Promise<string> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(`GET ${path} HTTP/1.1\r\n${load.fields}\r\n`);
    });
  }

  #whole(): string | undefined {
    const head = this.#received.indexOf('\r\n\r\n');
    if (head === -1) return undefined;
    const lines = this.#received.slice(0, head);
    if (!lines.startsWith('HTTP/1.1 200 ')) throw new Error(lines);
    const until = head + 4 + Number(/^content-length: (\d+)$/im.exec(lines)?.[1]);
    if (this.#received.length < until) return undefined;
    const body = this.#received.slice(head + 4, until);
    this.#received = this.#received.slice(until);
    return body;
  }
}

async function follow(runtimeId: string): Promise<void> {
  const line = new Line();
  for (let after = 0; !isOver(); ) {
    const page = JSON.parse(await line.ask(`/v1/runtimes/${runtimeId}/events?after=${after}&limit=200&wait=8000`));
    after = page.nextCursor;
    if (page.terminal) await setTimeout(500);
  }
}

async function readStatuses(): Promise<number[]> {
  // Used in turn, one question at a time each; if all are busy the question waits, and its clock runs.
  const free = Array.from({ length: connections }, () => new Line());
  const waiting: ((line: Line) => void)[] = [];
  const took: number[] = [];
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  const read = async (runtimeId: string, due: number): Promise<void> => {
    const line = free.shift() ?? (await new Promise<Line>((resolve) => waiting.push(resolve)));
    await line.ask(`/v1/runtimes/${runtimeId}`);
    // Counted from when it was due: the time that a late load generator lost is not hidden.
    took.push(performance.now() - due);
    const next = waiting.shift();
    if (next === undefined) free.push(line);
    else next(line);
  };
  for (let count = 0; !isOver(); count += 1) {
    const due = begun + (count * 1000) / load.readsPerSecond;
    if (due > performance.now()) await setTimeout(due - performance.now());
    asked.push(read(load.runtimeIds[count % load.runtimeIds.length] ?? '', due));
  }
  await Promise.all(asked);
  return took;
}

const warmUpMs = 1_000;
const end = performance.now() + warmUpMs + load.seconds * 1000;
for (let poll = 0; poll < load.longPolls; poll += 1) {
  follow(load.runtimeIds[poll % load.runtimeIds.length] ?? '').catch((error) => {
    throw error;
  });
}
await setTimeout(warmUpMs);
const took = (await readStatuses()).sort((a, b) => a - b);
const quantile = (share: number) => took[Math.ceil(took.length * share) - 1];
const figures = { reads: took.length, p50: quantile(0.5), p99: quantile(0.99), max: took.at(-1) };
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
