import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';

/** Thresholds are chosen on one half of the voices and measured on the other; no speaker is in both. */
export type Half = 'tuning' | 'held-out';

/** Recordings in a package of Debian. */
export interface Recordings {
  readonly package: string;
  /** Below `/usr/share`. */
  readonly folder: string;
}

export interface Voice extends Recordings {
  readonly name: string;
  readonly half: Half;
}

const klettres = (half: Half, language: string): Voice => ({
  ...{ name: `klettres-${language}`, half, package: 'klettres-data', folder: `klettres/${language}` },
});
const ktuberling = (half: Half, language: string): Voice => ({
  ...{ name: `ktuberling-${language}`, half, package: 'ktuberling-data', folder: `ktuberling/sounds/${language}` },
});
const asterisk = (half: Half, language: string, speaker: string): Voice => ({
  ...{ name: `asterisk-${language}`, half, package: `asterisk-core-sounds-${language}-wav` },
  folder: `asterisk/sounds/${speaker}`,
});

/** People who speak, in Debian's packages: KLettres and KTuberling are under the GPL, the prompts of Asterisk under CC BY-SA 3.0. */
export const recordedVoices: readonly Voice[] = [
  ...['ca', 'el', 'lt', 'nn'].map((language) => ktuberling('tuning', language)),
  ...['de', 'pt_BR', 'tn'].map((language) => klettres('tuning', language)),
  asterisk('tuning', 'en', 'en_US_f_Allison'),
  asterisk('tuning', 'es', 'es_MX_f_Allison'),
  ...['ga', 'uk'].map((language) => ktuberling('held-out', language)),
  ...['da', 'en_GB', 'nds', 'nl', 'ru', 'uk'].map((language) => klettres('held-out', language)),
  asterisk('held-out', 'fr', 'fr_CA_f_June'),
  asterisk('held-out', 'it', 'it_IT_m_Carlo'),
  asterisk('held-out', 'ru', 'ru_RU_f_IvrvoiceRU'),
];

const musicPackage = 'asterisk-moh-opsound-wav';
const musicFolder = 'asterisk/moh';

/** Music without singing, under CC BY-SA 3.0. */
const pieces: Readonly<Record<Half, readonly string[]>> = {
  tuning: ['macroform-robot_dity.wav', 'manolo_camp-morning_coffee.wav'],
  'held-out': ['macroform-cold_day.wav', 'macroform-the_simplicity.wav', 'reno_project-system.wav'],
};

/** Downloads a package with apt, once, and unpacks it below `work`; nothing of it is installed. Its `/usr/share`. */
export async function unpacked(work: string, name: string): Promise<string> {
  const folder = path.join(work, 'packages', name);
  if (existsSync(folder)) return path.join(folder, 'usr/share');
  const parts = path.join(work, 'packages', `${name}.part`);
  await mkdir(parts, { recursive: true });
  execFileSync('apt-get', ['download', '-q', name], { cwd: parts, stdio: ['ignore', 'ignore', 'inherit'] });
  const archive = (await readdir(parts)).find((file) => file.endsWith('.deb'));
  if (archive === undefined) throw new Error(`apt-get has no package ${name}`);
  execFileSync('dpkg-deb', ['-x', path.join(parts, archive), parts]);
  await rename(parts, folder);
  return path.join(folder, 'usr/share');
}

/** The files of recordings, in the order of their names. */
export async function recordingsOf(work: string, voice: Recordings): Promise<string[]> {
  const folder = path.join(await unpacked(work, voice.package), voice.folder);
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => /\.(?:gsm|ogg|opus|wav)$/.test(name))
    .sort()
    .map((name) => path.join(folder, name));
}

export async function musicOf(work: string, half: Half): Promise<string[]> {
  const folder = path.join(await unpacked(work, musicPackage), musicFolder);
  return pieces[half].map((name) => path.join(folder, name));
}
