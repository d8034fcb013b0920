import test from 'ava';
import { RememberedPages } from '../../../actors/study/remembered-pages.ts';

interface Page {
  readonly bytes: Uint8Array;
}

const pageOf = (bytes: number): Page => ({ bytes: new Uint8Array(bytes) });
const always = (): boolean => true;

test('a page that was read is given again, the same object', async (t) => {
  const pages = new RememberedPages<Page>();
  const page = await pages.read('a', '0 100', async () => pageOf(1), always);
  t.is(pages.get('a', '0 100'), page);
  t.is(pages.get('a', '100 100'), undefined);
  t.is(pages.get('b', '0 100'), undefined);
});

test('a commit of its runtime ends a page, and no other', async (t) => {
  const pages = new RememberedPages<Page>();
  await pages.read('a', '0 100', async () => pageOf(1), always);
  const other = await pages.read('b', '0 100', async () => pageOf(1), always);
  pages.forget('a');
  t.is(pages.get('a', '0 100'), undefined);
  t.is(pages.get('b', '0 100'), other);
});

test('a page that was read while its runtime committed is never given again', async (t) => {
  const pages = new RememberedPages<Page>();
  const read = async (): Promise<Page> => {
    pages.forget('a');
    return pageOf(1);
  };
  await pages.read('a', '0 100', read, always);
  t.is(pages.get('a', '0 100'), undefined);
});

test('a page that does not last is not kept', async (t) => {
  const pages = new RememberedPages<Page>();
  await pages.read(
    'a',
    '0 100',
    async () => pageOf(1),
    () => false,
  );
  t.is(pages.get('a', '0 100'), undefined);
});

test('many pages make those go that were used longest ago', async (t) => {
  const pages = new RememberedPages<Page>();
  const large = 4 * 1024 * 1024;
  for (const name of ['0', '1', '2', '3', '4', '5', '6'])
    await pages.read('a', name, async () => pageOf(large), always);
  t.truthy(pages.get('a', '0'));
  await pages.read('a', '7', async () => pageOf(large), always);
  t.is(pages.get('a', '1'), undefined);
  t.truthy(pages.get('a', '0'));
});
