import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { repository } from '../../cli/command.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import {
  bundleOf,
  bundlesOfStudy,
  type Entries,
  entry,
  listing,
  packed,
  resigned,
  unpacked,
  unsigned,
  verdictOf,
} from './bundled-study.ts';

// A second verifier, in another language and by another library, has to find what this program finds.

const run = promisify(execFile);
const script = join(repository, 'docs/verify_bundle.py');
const hasPython = await run('python3', ['-c', 'import cryptography'])
  .then(() => true)
  .catch(() => false);
const withPython = hasPython ? test : (test.skip as typeof test);
const title = (text: string) => (hasPython ? text : `${text} (skipped: no python3 with the package cryptography)`);

/** The lines of the second verifier about archives, by their places. */
async function pythonLines(folder: string, key: string, archives: readonly Uint8Array[]): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths = archives.map((_, at) => join(folder, `${at}.tar`));
  await Promise.all(archives.map((bytes, at) => writeFile(paths[at] ?? '', bytes)));
  const called = run('python3', [script, '--trust', key, ...paths], { maxBuffer: 2 ** 28 });
  const { stdout } = await called.catch((error: { stdout: string; code: unknown }) => {
    if (error.code !== 1 && error.code !== 4) throw error;
    return error;
  });
  await Promise.all((await readdir(folder)).map((name) => rm(join(folder, name))));
  return stdout.trimEnd().split('\n');
}

/** Numbers from 0 to below `limit`, the same in each run. */
function chances(seed: number) {
  let state = seed;
  return (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

interface Forged {
  readonly bytes: Buffer;
  /** The word or words with which the second verifier names it. */
  readonly named: RegExp;
}

function withBit(content: Buffer, chance: (limit: number) => number): Buffer {
  const copy = Buffer.from(content);
  const at = chance(copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << chance(8));
  return copy;
}

/** One bit of the archive, a cut, or a piece that moved: no digest is made anew. */
function damaged(bytes: Buffer, chance: (limit: number) => number): Forged {
  const named = /: damaged: (?:bundle|signature): /;
  const way = chance(10);
  if (way === 0) return { bytes: bytes.subarray(0, chance(bytes.length)), named };
  if (way === 1) return { bytes: Buffer.concat([bytes, Buffer.alloc(1 + chance(2048))]), named };
  return { bytes: withBit(bytes, chance), named };
}

/** A part that was changed, with all outer digests and the signature made anew by another key. */
async function reforged(entries: Entries, chance: (limit: number) => number): Promise<Forged> {
  const names = [...entries.keys()].filter((name) => !/^(?:manifest|sign)/.test(name));
  const objects = names.filter((name) => name.startsWith('objects/'));
  const ways = ['journal.jsonl', 'journal.jsonl', objects[chance(objects.length)] ?? '', 'rows.json', 'schemas.json'];
  const name = ways[chance(ways.length)] ?? '';
  const changed = listing()(entry(name, (content) => withBit(content, chance))(entries));
  const named = name.startsWith('journal')
    ? /: damaged: journal: /
    : name.startsWith('objects/')
      ? /: damaged: bundle: .*: content$/
      : /: (?:intact: .*, signature untrusted|damaged: bundle: rows\.json.*)$/;
  return { bytes: await packed(resigned(changed)), named };
}

async function bundled(t: ExecutionContext) {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const entries = await unpacked(bytes);
  const folder = await scratchFolder(t);
  await mkdir(folder, { recursive: true });
  const key = join(folder, 'trusted.pem');
  await writeFile(key, entries.get('signing-key.pem') ?? '');
  return { bundles, bytes, entries, key, folder: join(folder, 'archives') };
}

withPython(
  title('a second verifier in Python takes whole bundles, and tells the three kinds of signature apart'),
  async (t) => {
    const { bundles, bytes, entries, key, folder } = await bundled(t);
    const archives = [
      bytes,
      await bundleOf(bundles, true),
      await packed(unsigned(entries)),
      await packed(resigned(entries)),
    ];
    const lines = await pythonLines(folder, key, archives);
    t.deepEqual(
      lines.map((line) => line.replace(/^.*signature /, '')),
      ['trusted', 'trusted', 'unsigned', 'untrusted'],
    );
    t.true((await readFile(script, 'utf8')).split('\n').length <= 500);
  },
);

const count = process.env.MEDIA_STUDY_TEST_SOAK === '1' ? 100_000 : 300;

withPython(title(`both verifiers find each of ${count} forged bundles, half of them signed anew`), async (t) => {
  t.timeout(6 * 3_600_000);
  const { bytes, entries, key, folder } = await bundled(t);
  const trusted = createPublicKey(await readFile(key));
  const chance = chances(52);
  const together = 50;
  for (let from = 0; from < count; from += together) {
    const forged: Forged[] = [];
    for (let at = 0; at < together; at += 1) {
      forged.push(at % 2 === 0 ? damaged(bytes, chance) : await reforged(entries, chance));
    }
    const lines = await pythonLines(
      folder,
      key,
      forged.map((each) => each.bytes),
    );
    for (const [at, { bytes: archive, named }] of forged.entries()) {
      const { found, signature } = await verdictOf(archive, trusted);
      const line = lines[at] ?? '';
      if (named.test(line) && (found !== 'intact' || signature === 'untrusted')) continue;
      t.fail(`forgery ${from + at}: ${found}, ${signature}; ${line}`);
    }
  }
  t.pass();
});
