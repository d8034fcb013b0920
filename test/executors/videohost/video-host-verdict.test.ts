import { lookup } from 'node:dns/promises';
import test from 'ava';
import { ProcessFailure, type ProcessFailureCause } from '../../../executors/process/process.ts';
import { behindProxy } from '../../../executors/videohost/behind-proxy.ts';
import { lookupAddresses } from '../../../executors/videohost/name-lookup.ts';
import type { ProxyFindings } from '../../../executors/videohost/proxy-findings.ts';
import { VideoHostFailure } from '../../../executors/videohost/video-host.ts';
import { verdictOn } from '../../../executors/videohost/video-host-verdict.ts';
import { remoteInputOptions, ytdlpWords } from '../../../executors/videohost/ytdlp-command.ts';

const nothing: ProxyFindings = { requests: 0, refusedAddress: false, overLimit: false, lastOutcome: null };

function verdict(
  findings: Partial<ProxyFindings>,
  { reason = 'tool_exit', ...outcome }: { reason?: ProcessFailureCause; stdout?: string; stderr?: string } = {},
): string {
  const error = verdictOn(new ProcessFailure(reason, 'yt-dlp ended', { exitCode: 1, ...outcome }), {
    ...nothing,
    ...findings,
  });
  return error instanceof VideoHostFailure ? error.message : String(error);
}

test('what the proxy saw decides, the refusal of an address first', (t) => {
  const refused = { refusedAddress: true, overLimit: true, lastOutcome: { kind: 'host_unreachable' } } as const;
  t.regex(verdict(refused), /^address_refused: /);
  t.regex(verdict({ ...refused, refusedAddress: false }), /^too_many_bytes: /);
  t.regex(verdict({ ...refused, refusedAddress: false, overLimit: false }), /^host_unreachable: /);
  t.is(verdict({ lastOutcome: { kind: 'answered', status: 451 } }), 'host_refused: the host answered with status 451');
});

test('without that, the exit and what was printed for machines decide', (t) => {
  const stderr = 'WARNING: old\nERROR: [test] film: Video is gone; please report this\n';
  const answered = { requests: 2, lastOutcome: { kind: 'answered', status: null } } as const;
  t.is(verdict(answered, { stdout: 'null\n', stderr }), 'extraction_failed: [test] film: Video is gone');
  t.is(verdict({}, { stdout: 'null\n', stderr }), 'not_one_video: [test] film: Video is gone');
  t.is(verdict(answered, { stderr }), 'tool_exit: [test] film: Video is gone');
  t.is(verdict(answered), 'tool_exit: yt-dlp exited with code 1');
});

test('a process that was stopped is no matter of the host', (t) => {
  for (const reason of ['aborted', 'deadline', 'output_limit', 'tool_signal', 'tool_missing'] as const) {
    t.is(verdict({ refusedAddress: true }, { reason }), `${reason}: yt-dlp ended`);
  }
});

test('a quoted complaint shows neither paths nor addresses nor control characters, and has an end', (t) => {
  const stderr = `ERROR: cannot write /home/me/x.mp4 from https://user:word@host/ \u001b[0m${'x'.repeat(500)}`;
  const message = verdict({}, { stderr });
  t.regex(message, /^tool_exit: cannot write … from … {2}\[0mx+$/);
  t.true(message.length < 200);
});

test('faults of the system become failures, faults of the program stay what they are', async (t) => {
  const full = Object.assign(new Error('no space'), { syscall: 'write', code: 'ENOSPC' });
  const failure = verdictOn(full, nothing);
  t.true(failure instanceof VideoHostFailure);
  t.is(failure instanceof VideoHostFailure ? failure.message : '', 'launch_failed: the system refused (ENOSPC)');
  const bug = new TypeError('not a function');
  t.is(verdictOn(bug, nothing), bug);
  const deps = { lookup: lookupAddresses, openOrigin: null, newSecret: () => 'secret' };
  await t.throwsAsync(
    behindProxy(deps, 1, () => Promise.reject(full)),
    { message: /^launch_failed: / },
  );
});

test('names are looked up as the system does', async (t) => {
  const { address } = await lookup('localhost');
  t.true((await lookupAddresses('localhost')).includes(address));
});

test('in the network of the machine nothing is generic, and no playlist is read', (t) => {
  const tool = { path: '/usr/bin/ffmpeg', identity: { name: 'ffmpeg', version: '1', digest: '' } };
  const deps = { openOrigin: 'http://127.0.0.1:4000', ownNetwork: false, ffmpeg: tool };
  const address = { url: 'http://127.0.0.1:4000/page', extractor: 'generic' };
  t.throws(() => ytdlpWords(address, deps), { message: /^extractor_not_allowed: / });
  const formats = (ownNetwork: boolean) => remoteInputOptions({ ownNetwork })[3]?.split(',') ?? [];
  t.true(formats(true).includes('hls'));
  t.false(formats(false).includes('hls'));
  t.true(formats(false).includes('mp4'));
});

test('only one extractor is ever named, and the generic one only at the open origin', (t) => {
  const tool = { path: '/usr/bin/ffmpeg', identity: { name: 'ffmpeg', version: '1', digest: '' } };
  const deps = { openOrigin: 'http://127.0.0.1:4000', ownNetwork: true, ffmpeg: tool };
  const words = (extractor: string, url = 'https://host.example/film') => {
    const all = ytdlpWords({ url, extractor }, deps);
    return all[all.indexOf('--use-extractors') + 1];
  };
  t.is(words('youtube'), 'youtube');
  t.is(words('BBC.co.uk'), 'bbc.co.uk');
  t.is(words('generic', 'http://127.0.0.1:4000/page'), 'generic,html5');
  for (const name of [
    'generic',
    'Generic',
    'html5',
    'all',
    'default',
    'end',
    '',
    '-youtube',
    'a,b',
    '.*',
    'you|tube',
  ]) {
    t.throws(() => words(name), { message: /^extractor_not_allowed: / }, name);
  }
  for (const url of ['http://127.0.0.1:4001/page', 'http://127.0.0.1:4000.evil.example/', 'not a url']) {
    t.throws(() => words('generic', url), { message: /^extractor_not_allowed: / }, url);
  }
});
