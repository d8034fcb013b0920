import { connect, type Socket } from 'node:net';

// A process of its own, so that the load does not run on the thread that is measured. Sends one and the same request
// over keep-alive connections, each with `depth` requests under way, and counts answers by their bytes. With `seconds`
// it goes on for that long instead of counting to `requests`.

interface Load {
  readonly port: number;
  /** The request as it goes over the wire. */
  readonly request: string;
  readonly connections: number;
  readonly depth: number;
  readonly requests: number;
  readonly seconds?: number;
}

const load: Load = JSON.parse(process.argv[2] ?? '');

/** The length of one whole answer, head included: equal requests have answers of equal length. */
async function answerBytes(): Promise<number> {
  const socket = connect(load.port, '127.0.0.1');
  socket.write(load.request);
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) continue;
    const head = received.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head);
    const total = end + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    if (received.length === total) {
      socket.destroy();
      return total;
    }
  }
  throw new Error('the connection closed before the answer was whole');
}

/** Milliseconds from each question to its answer; with more than one under way, from answer to answer. */
const took: number[] = [];

/** How many answers came. */
function drive(socket: Socket, size: number, share: number): Promise<number> {
  const one = Buffer.from(load.request, 'latin1');
  const several = Array.from({ length: load.depth + 1 }, (_, count) => Buffer.concat(Array(count).fill(one)));
  let sent = Math.min(load.depth, share);
  let bytes = 0;
  let answered = 0;
  let asked = performance.now();
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection closed')));
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      const whole = Math.floor(bytes / size);
      const next = performance.now() > end ? 0 : Math.min(whole - answered, share - sent);
      if (whole > answered) {
        const now = performance.now();
        took.push(now - asked);
        asked = now;
      }
      answered = whole;
      sent += next;
      if (next > 0) socket.write(several[next] ?? one);
      if (answered === share || (next === 0 && answered === sent)) resolve(answered);
    });
    socket.write(several[sent] ?? one);
  });
}

const size = await answerBytes();
const sockets = Array.from({ length: load.connections }, () =>
  connect({ port: load.port, host: '127.0.0.1', noDelay: true }),
);
const share = Math.floor(load.requests / load.connections);
const from = performance.now();
const end = from + (load.seconds ?? Number.POSITIVE_INFINITY) * 1000;
const answers = await Promise.all(sockets.map((socket) => drive(socket, size, share)));
const seconds = (performance.now() - from) / 1000;
const sorted = took.sort((a, b) => a - b);
const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1];
process.stdout.write(`${JSON.stringify({ requests: answers.reduce((sum, count) => sum + count, 0), seconds, p99 })}\n`);
process.exit(0);
