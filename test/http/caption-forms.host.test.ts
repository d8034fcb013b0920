import test, { type ExecutionContext } from 'ava';
import { TestHost } from '../host/test-host.ts';

async function openCaptioned(t: ExecutionContext) {
  const host = await TestHost.open(t, { life: 'captioned' });
  const path = `/v1/runtimes/${host.known.studies.twelveSeconds}/exports`;
  const file = async (name: string, query: string): Promise<string> => {
    const answer = await host.get(`${path}/${name}${query}`);
    t.is(answer.status, 200, answer.body.toString());
    return answer.body.toString('utf8');
  };
  return { host, path, file };
}

test('captions in both languages have the translation above what is said', async (t) => {
  const { file } = await openCaptioned(t);
  const [both, source, target] = await Promise.all(
    ['both', 'source', 'target'].map((side) => file('captions.srt', `?side=${side}`)),
  );
  const first = (text = '') => text.split('\n\n')[0]?.split('\n') ?? [];
  t.deepEqual(first(both), [...first(target), ...first(source).slice(2)]);
  t.regex(await file('captions.vtt', '?side=both'), /\nboth language en and ko\n/);
  const ass = await file('captions.ass', '?side=both');
  t.regex(ass, /^Style: Source,.*,8,40,40,40,1$/m);
  t.is([...ass.matchAll(/^Dialogue: 0,[^,]+,[^,]+,Source,/gm)].length, [...ass.matchAll(/,Default,,/gm)].length);
});

test('captions are broken by the rules that the client names, and else as before', async (t) => {
  const { file } = await openCaptioned(t);
  for (const name of ['captions.srt', 'captions.vtt', 'captions.ass']) {
    t.is(await file(name, '?lines=author'), await file(name, ''), name);
    const broken = await file(name, '?lines=netflix.v1&side=source');
    const longest = Math.max(
      ...broken
        .split('\n')
        .filter((line) => /\p{sc=Hangul}/u.test(line) && !line.startsWith('Dialogue'))
        .map((line) => line.length),
      0,
    );
    t.true(longest <= 32, `${name}: ${longest}`);
  }
});

test('another side and other rules than the known ones are refused', async (t) => {
  const { host, path } = await openCaptioned(t);
  t.is(
    host.refused(t, await host.get(`${path}/captions.srt?side=up`), 'unknown_query'),
    'side is source, target or both',
  );
  const refused = await host.get(`${path}/captions.srt?lines=netflix.v0`);
  t.is(host.refused(t, refused, 'unknown_query'), 'lines is one of author, netflix.v1');
});
