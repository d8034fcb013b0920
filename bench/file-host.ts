import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

// The plain way to serve a file with Node: one range a request, streamed from the disk, nothing checked.

const file = process.argv[2] ?? '';
const { size } = statSync(file);

const server = createServer((request, response) => {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const start = Number(first);
  const end = last === '' ? size - 1 : Number(last);
  response.writeHead(request.headers.range === undefined ? 200 : 206, {
    'Content-Type': 'video/mp4',
    'Content-Length': end - start + 1,
    'Content-Range': `bytes ${start}-${end}/${size}`,
    'Accept-Ranges': 'bytes',
  });
  pipeline(createReadStream(file, { start, end }), response, () => undefined);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
