import { connect } from 'node:net';

// A process of its own, so that the load does not run on the thread that is measured. Reads a file over keep-alive
// connections, one request at a time on each, and looks at nothing but the length of what comes.

interface Load {
  readonly port: number;
  /** Path and header fields of each request, without its range. */
  readonly path: string;
  readonly fields: readonly string[];
  readonly fileBytes: number;
  /** Bytes of a range, or null to read the whole file. */
  readonly rangeBytes: number | null;
  readonly connections: number;
  readonly requests: number;
}

const load: Load = JSON.parse(process.argv[2] ?? '');

/** Start of the next range: spread over the whole file, the same in every run. */
let seed = 1;
function nextStart(rangeBytes: number): number {
  seed = (seed * 48271) % 2147483647;
  return seed % (load.fileBytes - rangeBytes);
}

function request(): string {
  const { rangeBytes } = load;
  const start = rangeBytes === null ? 0 : nextStart(rangeBytes);
  const range = rangeBytes === null ? [] : [`Range: bytes=${start}-${start + rangeBytes - 1}`];
  const head = [`GET ${load.path} HTTP/1.1`, `Host: 127.0.0.1:${load.port}`, ...load.fields, ...range];
  return `${head.join('\r\n')}\r\n\r\n`;
}

const body = load.rangeBytes ?? load.fileBytes;
const status = load.rangeBytes === null ? 'HTTP/1.1 200 ' : 'HTTP/1.1 206 ';

function drive(share: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
    let head = '';
    let left = 0;
    let answered = 0;
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection closed')));
    socket.on('data', (chunk) => {
      let bytes = chunk.length;
      if (left === 0) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        if (!head.startsWith(status)) return reject(new Error(head));
        bytes = head.length - end - 4;
        left = body;
      }
      left -= bytes;
      if (left > 0) return;
      head = '';
      answered += 1;
      if (answered < share) socket.write(request());
      else resolve();
    });
    socket.write(request());
  });
}

const share = Math.floor(load.requests / load.connections);
const from = performance.now();
await Promise.all(Array.from({ length: load.connections }, () => drive(share)));
const seconds = (performance.now() - from) / 1000;
process.stdout.write(`${JSON.stringify({ requests: share * load.connections, seconds })}\n`);
process.exit(0);
