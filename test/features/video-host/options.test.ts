import test from 'ava';
import { videohostFlags, videohostOptions } from '../../../features/video-host/options.ts';
import { StartError } from '../../../options/failures.ts';
import { parseFlags } from '../../../options/flags.ts';

const optionsOf = (flags: readonly string[]) => videohostOptions(parseFlags(flags, videohostFlags));

test('without flags only known hosts are open, for one range of two minutes at a time', (t) => {
  t.deepEqual(optionsOf([]), { added: {}, openOrigin: null, maximumRangeMs: 120_000, workers: 1 });
});

test('flags add hosts, one origin of this machine, and other limits', (t) => {
  const hosts = ['--videohost', 'Videos.example=Example:Video', '--videohost-workers', '2'];
  const seam = ['--videohost-origin=http://127.0.0.1:4000', '--allow-loopback-videohost'];
  t.deepEqual(optionsOf([...hosts, ...seam, '--maximum-videohost-local-range-ms', '5']), {
    added: { 'videos.example': 'example:video' },
    openOrigin: 'http://127.0.0.1:4000',
    maximumRangeMs: 5,
    workers: 2,
  });
});

test('flags that do not agree, and values that are none, are refused with their code', (t) => {
  for (const flag of [
    '--videohost-workers=0',
    '--videohost-workers=17',
    '--videohost=videos.example',
    '--videohost==example',
    '--videohost=videos.example=',
    '--videohost=videos.example=a=b',
    '--videohost=videos.example=generic',
    '--videohost=videos.example=all',
    '--videohost=videos.example=-x',
    '--videohost=videos.example:443=example',
    '--videohost=https://videos.example=example',
    '--videohost=localhost=example',
    '--videohost=127.0.0.1=example',
    '--videohost=youtu.be=example',
    '--videohost-origin=http://127.0.0.1:4000',
    '--allow-loopback-videohost',
  ]) {
    const error = t.throws(() => optionsOf([flag]), { instanceOf: StartError, code: 'invalid_flags' }, flag);
    t.is(error?.exitCode, 2);
  }
  t.throws(() => optionsOf(['--maximum-videohost-local-range-ms=0']), { code: 'invalid_ingest_limit' });
});

test('the origin of a stub is on loopback, and the same video host is not added twice', (t) => {
  const origins = ['http://127.0.0.1', 'https://127.0.0.1:4000', 'http://127.0.0.1:4000/', 'http://127.0.0.1:80'];
  const others = ['http://localhost:4000', 'http://10.0.0.1:4000', 'http://127.0.0.1:70000', 'http://a@127.0.0.1:4000'];
  for (const origin of [...origins, ...others]) {
    const flags = ['--allow-loopback-videohost', '--videohost-origin', origin];
    t.throws(() => optionsOf(flags), { instanceOf: StartError, code: 'invalid_flags' }, origin);
  }
  const twice = ['--videohost=a.example=one', '--videohost=A.example=two'];
  t.throws(() => optionsOf(twice), { instanceOf: StartError, code: 'invalid_flags' });
});
