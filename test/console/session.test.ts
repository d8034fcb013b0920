import test from 'ava';
import { keepPageToken, keepTabToken, tabToken, tokenOf } from '../../console/host/session.ts';

const token = 'a'.repeat(64);

function memory(values: Map<string, string> = new Map()) {
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

test('a tab keeps a token of its own, and nothing else is taken for one', (t) => {
  const storage = memory();
  t.is(
    tabToken(() => storage),
    null,
  );
  keepTabToken(() => storage, token);
  t.is(
    tabToken(() => storage),
    token,
  );
  keepTabToken(() => storage, 'no token');
  t.is(
    tabToken(() => storage),
    null,
  );
  keepTabToken(() => storage, token);
  keepTabToken(() => storage, null);
  t.is(
    tabToken(() => storage),
    null,
  );
});

test('a browser that stores nothing for pages has no token, and takes none', (t) => {
  const off = (): never => {
    throw new Error('storage is off');
  };
  t.is(tabToken(off), null);
  t.notThrows(() => keepTabToken(off, token));
});

test('bug: a page was locked by its first reload after a restart of the host', async (t) => {
  const kept = memory(new Map([['media-study-page-token', token]]));
  const next = 'b'.repeat(64);
  await keepPageToken({ pageToken: async () => ({ authorizationToken: next }) as never }, () => kept);
  t.is(
    tabToken(() => kept),
    next,
  );
});

test('a token is read from the fragment of an address alone', (t) => {
  t.is(tokenOf(`#token=${token}`), token);
  for (const hash of ['', '#/sources', '#/sources?token=']) t.not(tokenOf(hash), token, hash);
});
