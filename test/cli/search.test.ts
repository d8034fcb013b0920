import test from 'ava';
import { searching } from '../../cli/commands/search.ts';
import type { CommandCall } from '../../cli/terminal/call.ts';
import type { FoundStudy, LibrarySearch } from '../../contract/library.ts';
import { parseFlags } from '../../options/flags.ts';

// The search at the terminal, over answers of a host.

const line = (startMs: number, text: string): FoundStudy['lines'][number] => ({
  kind: 'subtitle_track',
  ...{ trackIndex: 2, artifactId: 'artifact:a', contentId: `sha256:${'a'.repeat(64)}`, factIndex: 1 },
  ...{ startMs, endMs: startMs + 1000, text },
});
const corrected: FoundStudy['lines'][number] = {
  ...{ kind: 'captions', side: 'target', artifactId: 'artifact:b', contentId: `sha256:${'b'.repeat(64)}` },
  ...{ startMs: 63_500, endMs: 65_000, text: 'an apprentice\nof the clockmaker' },
};

const page = (studies: readonly Pick<FoundStudy, 'lines' | 'more'>[], nextCursor: string | null, others = {}) =>
  ({
    schema: 'studio.library-search.v2',
    sources: [],
    studies: studies.map((study, at) => ({
      ...{ runtimeId: `runtime:${at}`, sourceSessionId: 'source-session:1', label: 'The clock' },
      ...{ range: { startMs: 0, endMs: 90_000 }, ...study },
    })),
    searched: 2,
    damaged: [],
    nextCursor,
    ...others,
  }) as unknown as LibrarySearch;

/** Runs a search on a host that gives these pages; the results, the remarks and the exit code. */
async function searched(words: readonly string[], pages: readonly LibrarySearch[], isOwnHost = false) {
  const results: object[] = [];
  const lines: string[] = [];
  const remarks: string[] = [];
  const asked: string[] = [];
  const left = [...pages];
  const call = {
    given: parseFlags(words, searching.flags, searching.positionals),
    terminal: {
      result: (value: object, text: readonly string[]) => {
        results.push(value);
        lines.push(...text);
      },
      remark: (text: string) => remarks.push(text),
    },
    host: {
      address: async () => ({ baseUrl: 'http://127.0.0.1:4000', token: 'secret' }),
      library: {
        search: async (query: string) => {
          asked.push(query);
          return left.shift();
        },
      },
    },
    isOwnHost: () => isOwnHost,
  } as unknown as CommandCall;
  await searching.check?.(call.given, call.terminal);
  const exit = await searching.run(call);
  return { exit, results, lines, remarks, asked };
}

test('a search prints film, time, line and link of each page, the corrected lines with their origin', async (t) => {
  const pages = [
    page([{ lines: [line(800, 'the apprentice')], more: 0 }], 'next'),
    page([{ lines: [corrected], more: 2 }], null),
  ];
  const { exit, lines, remarks, results, asked } = await searched(['apprentice', 'The'], pages);
  t.is(exit, 0);
  t.deepEqual(asked, ['apprentice The', 'apprentice The']);
  t.deepEqual(lines, [
    'The clock  0:00.800  the apprentice',
    '  http://127.0.0.1:4000/#/studies/runtime%3A0?at=800',
    'The clock  1:03.500  an apprentice / of the clockmaker  (captions, corrected by a person)',
    '  http://127.0.0.1:4000/#/studies/runtime%3A0?at=63500',
  ]);
  t.deepEqual(remarks, ['2 more lines found; more words find fewer']);
  t.like(results[1], { film: 'The clock', kind: 'captions', startMs: 63_500, runtimeId: 'runtime:0' });
  t.false(JSON.stringify([results, lines, remarks]).includes('secret'));
});

test('a search without a result prints the number of studies that it searched, and exits with 1', async (t) => {
  const { exit, lines, remarks } = await searched(['zebra'], [page([], null, { damaged: ['runtime:9'] })]);
  t.is(exit, 1);
  t.deepEqual(lines, []);
  t.deepEqual(remarks, ['runtime:9 is damaged and was not searched', 'nothing found in 2 studies']);
});

test('a film that is found by its name is printed, and a limit counts the lines that it leaves out', async (t) => {
  const sources = [{ sourceSessionId: 'source-session:1', label: 'The clock' }];
  const pages = [page([{ lines: [line(800, 'a clock'), line(900, 'the clock')], more: 0 }], null, { sources })];
  const { lines, remarks } = await searched(['clock', '--limit', '2'], pages, true);
  t.deepEqual(lines, [
    'The clock  (the name of the film)',
    '  #/sources?details=source-session%3A1',
    'The clock  0:00.800  a clock',
    '  #/studies/runtime%3A0?at=800',
  ]);
  t.is(remarks[0], '1 more line found; more words find fewer');
  t.regex(remarks[1] ?? '', /behind the address of the page: .*open --print/);
});

const wrong: readonly [name: string, words: readonly string[], message: RegExp][] = [
  ['without a word', [], /WORDS is missing/],
  ['with spaces alone', ['  '], /no word to search for/],
  ['with too many characters', ['x'.repeat(201)], /at most 200 characters/],
  ['with a limit that is no number', ['x', '--limit', '1e1'], /--limit 1e1/],
];

for (const [name, words, message] of wrong) {
  test(`a search ${name} is refused before the request`, async (t) => {
    await t.throwsAsync(searched(words, []), { message });
  });
}
