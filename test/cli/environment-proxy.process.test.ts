import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { stubTranscriber, transcribes } from '../../fixtures/hosted-model/stub-transcriber.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { isAlive, repository, runCommand, startBuilt } from './command.ts';

const sample = join(repository, 'fixtures/sample/source/media/sample.mp4');

/** A proxy that notes what reaches it, and refuses it. */
async function recordingProxy(t: ExecutionContext) {
  const seen: string[] = [];
  const refuse: RequestListener = ({ method, url }, response) => {
    seen.push(`${method} ${url}`);
    response.writeHead(503).end();
  };
  const server = createServer(refuse);
  server.on('connect', ({ url }, socket) => {
    seen.push(`CONNECT ${url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  /** The environment of a person whose requests go to the proxy: in each way that Node knows, and in this version of it. */
  const environments = {
    variables: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address },
    option: { NODE_OPTIONS: '--use-env-proxy', http_proxy: address, https_proxy: address, all_proxy: address },
    loaded: {
      NODE_OPTIONS: `--import ${pathToFileURL(join(repository, 'fixtures/proxied-requests.mjs'))}`,
      TEST_PROXY_PORT: String(port),
    },
  };
  // Older versions refuse options that they do not know.
  const hasOption = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
  const { option, ...others } = environments;
  return { seen, environments: Object.entries(hasOption ? environments : others) };
}

test('bug: requests to the own host, with its token and the film, went to a proxy that the environment names', async (t) => {
  const { seen, environments } = await recordingProxy(t);
  for (const [name, environment] of environments) {
    const flags = ['--data-root', await scratchFolder(t)];
    const studied = await runCommand(
      ['study', sample, '--to', '1', '--language', 'ko', '--rights-holder', 'Me', '--attest-rights', ...flags],
      environment,
    );
    t.is(studied.exit, 0, `${name}: ${studied.stderr}`);
    const listed = await runCommand(['sources', ...flags], environment);
    t.is(listed.exit, 0, `${name}: ${listed.stderr}`);
    t.regex(listed.stdout, /sample/);
    t.deepEqual(seen, [], name);
  }
});

test('bug: sound for a server on this machine went to a proxy that the environment names', async (t) => {
  const { seen, environments } = await recordingProxy(t);
  for (const [name, environment] of environments) {
    const server = await stubTranscriber(transcribes({ text: '' }));
    t.teardown(server.close);
    const flags = ['--data-root', await scratchFolder(t)];
    const settings = [
      ...[`model-server=${server.baseUrl}`, 'semantic-recognizer=openai', 'semantic-recognizer-model=small'],
      'allow-real-semantic-evidence=true',
    ];
    const set = await runCommand(['settings', 'set', ...settings, ...flags], environment);
    t.is(set.exit, 0, `${name}: ${set.stderr}`);
    const studied = await runCommand(
      ['study', sample, '--to', '4', '--language', 'ko', '--rights-holder', 'Me', '--attest-rights', ...flags],
      environment,
    );
    t.is(studied.exit, 0, `${name}: ${studied.stderr}`);
    t.true(server.asked.length > 0, name);
    t.deepEqual(seen, [], name);
  }
});

test('bug: a command that could not reach its own host started another, and stayed when that one was refused', async (t) => {
  const folder = await scratchFolder(t);
  const lost = pathToFileURL(join(repository, 'fixtures/unreachable-requests.mjs'));
  const environment = { NODE_OPTIONS: `--import ${lost}` };
  const flags = ['--rights-holder', 'Me', '--attest-rights', '--data-root', folder];
  const command = startBuilt('build/media-study.js', ['study', sample, ...flags], environment);
  let said = '';
  command.stderr.on('data', (text: Buffer) => {
    said += text;
  });
  const [code] = await new Promise<unknown[]>((resolve) => command.once('close', (...end) => resolve(end)));
  t.is(code, 1);
  t.regex(
    said,
    /the host that this command started for itself \(process \d+\) listens, and this command does not reach it/,
  );
  t.notRegex(said, /data_root_locked/);
  t.false(isAlive(command.pid ?? 0));
});
