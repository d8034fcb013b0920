import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';

/** Thresholds are chosen on one half of the voices and measured on the other; no speaker is in both. */
export type Half = 'tuning' | 'held-out';

/** Voices `unseen` are of other packages: nothing was trained on them, and no threshold was chosen on them. */
export type VoiceSet = Half | 'unseen';

/** Recordings in a package of Debian. */
export interface Recordings {
  readonly package: string;
  /** Below `/usr/share`. */
  readonly folder: string;
  /** The files; all recordings by default. */
  readonly only?: RegExp;
  /** A zip archive below `/usr/share` that has the folder. */
  readonly archive?: string;
}

export interface Voice extends Recordings {
  readonly name: string;
  readonly half: VoiceSet;
}

const klettres = (half: Half, language: string): Voice => ({
  name: `klettres-${language}`,
  half,
  package: 'klettres-data',
  folder: `klettres/${language}`,
});
const ktuberling = (half: Half, language: string): Voice => ({
  name: `ktuberling-${language}`,
  half,
  package: 'ktuberling-data',
  folder: `ktuberling/sounds/${language}`,
});
const asterisk = (half: Half, language: string, speaker: string): Voice => ({
  name: `asterisk-${language}`,
  half,
  package: `asterisk-core-sounds-${language}-wav`,
  folder: `asterisk/sounds/${speaker}`,
});

const kajongg = (speaker: string): Voice => ({
  name: `kajongg-${speaker.replace('/', '-')}`,
  half: 'unseen',
  package: 'kajongg',
  folder: `kajongg/voices/${speaker}`,
});
const horizons = (language: string): Voice => ({
  name: `horizons-${language}`,
  half: 'unseen',
  package: 'unknown-horizons',
  folder: `unknown-horizons/content/audio/voice/${language}`,
});

const megaglest = (unit: string, folder: string): Voice => ({
  name: `megaglest-${unit}`,
  half: 'unseen',
  package: 'megaglest-data',
  folder: `games/megaglest/techs/megapack/${folder}/sounds`,
  only: new RegExp(`${unit}_(?:ack|select)\\d+\\.wav$`),
});
const warzone: Voice = {
  name: 'warzone',
  half: 'unseen',
  package: 'warzone2100-data',
  archive: 'games/warzone2100/base.wz',
  folder: 'audio',
  only: /^(?:memressp\/missmesg|tutorial)\//,
};

const unseen: readonly Voice[] = [
  ...['female1', 'male1', 'male2', 'de/female1', 'de/female2', 'de/male1', 'de/male2'].map(kajongg),
  ...['de', 'en', 'fr'].map(horizons),
  ...['archer', 'horseman'].map((unit) => megaglest(unit, 'commondata')),
  ...['battlemage', 'initiate'].map((unit) => megaglest(unit, `factions/magic/units/${unit}`)),
  warzone,
  { name: 'gcin', half: 'unseen', package: 'gcin-voice', folder: 'gcin-voice/ogg', only: /\/5\.ogg$/ },
  { name: 'alsa', half: 'unseen', package: 'alsa-utils', folder: 'sounds/alsa', only: /(?:Center|Left|Right)\.wav$/ },
  { name: 'marsshooter', half: 'unseen', package: 'marsshooter-data', folder: 'games/marsshooter/audio/announcer' },
];

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
  ...unseen,
];

const onHold = (...names: readonly string[]): string[] =>
  names.map((name) => `asterisk-moh-opsound-wav/asterisk/moh/${name}.wav`);

/** Music without singing, each piece by its package and its path below `/usr/share`; that on hold is under CC BY-SA 3.0. */
const pieces: Readonly<Record<VoiceSet, readonly string[]>> = {
  tuning: onHold('macroform-robot_dity', 'manolo_camp-morning_coffee'),
  'held-out': onHold('macroform-cold_day', 'macroform-the_simplicity', 'reno_project-system'),
  unseen: [
    'openclonk-data/games/openclonk/Music.ocg/Motorway.ogg',
    'colobot-common-sounds/games/colobot/music/Prototype.ogg',
    'planetblupi-music-ogg/planetblupi/music/music003.ogg',
    'unknown-horizons/unknown-horizons/content/audio/music/goldenvalley.ogg',
  ],
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

/** The `/usr/share` of recordings, or what their archive has in their folder. */
export async function sharedFolder(
  work: string,
  { package: name, archive, folder: below }: Recordings,
): Promise<string> {
  const shared = await unpacked(work, name);
  if (archive === undefined) return shared;
  const folder = path.join(shared, '../..', 'archive');
  if (!existsSync(folder)) execFileSync('unzip', ['-q', path.join(shared, archive), `${below}/*`, '-d', folder]);
  return folder;
}

/** The files of recordings, in the order of their names. */
export async function recordingsOf(work: string, voice: Recordings): Promise<string[]> {
  const folder = path.join(await sharedFolder(work, voice), voice.folder);
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => /\.(?:gsm|ogg|opus|wav)$/.test(name) && (voice.only?.test(name) ?? true))
    .sort()
    .map((name) => path.join(folder, name));
}

export async function musicOf(work: string, half: VoiceSet): Promise<string[]> {
  const files: string[] = [];
  for (const piece of pieces[half]) {
    const [name = '', ...below] = piece.split('/');
    files.push(path.join(await unpacked(work, name), ...below));
  }
  return files;
}
