// Starts `true` and a tool with a proxy by a launcher over the work root $1; prints the sandbox and what the tool said.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { describeSandbox } from '../../../executors/process/process-sandbox.ts';
import { request } from './launcher-for-tests.ts';

const [workRoot = ''] = process.argv.slice(2);
const launcher = await openLauncher({ workRoot, newId: randomUUID });
const server = createServer((_, response) => response.end('through the proxy'));
const proxy = {
  environmentAt: (port: number) => ({ http_proxy: `http://127.0.0.1:${port}` }),
  serve: (listener: object) => void server.listen(listener),
};
const script =
  "import urllib.request as u; print(u.urlopen('http://host.example/').read().decode(), open('/proc/self/limits').read(), open('/proc/self/status').read())";
await launcher.run(request('/usr/bin/true'));
const { stdout } = await launcher.run(request('/usr/bin/python3', ['-c', script], { proxy }));
process.stdout.write(`${JSON.stringify(launcher.sandbox)}\n${describeSandbox(launcher.sandbox)}\n${stdout}`);
server.close();
await launcher.close();
