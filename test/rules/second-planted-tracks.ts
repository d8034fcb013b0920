/** A cue, and the numbers of the clauses or of the sound that it carries. A cue of credits carries none. */
export interface NumberedCue {
  readonly startMs: number;
  readonly endMs: number;
  readonly carries: readonly number[];
}

/** Two tracks, and if they belong to one film. `lengthMs` is the length of the film in the time of the source. */
export interface TrackPair {
  readonly seed: number;
  readonly kind: PairKind;
  readonly belongs: boolean;
  readonly lengthMs: number;
  readonly source: readonly NumberedCue[];
  readonly target: readonly NumberedCue[];
}

/** How many of 200 pairs are of each kind. 125 belong together, 75 do not. */
export const pairKinds = {
  same: 25,
  shifted: 30,
  otherRate: 25,
  otherRateShifted: 25,
  advertisements: 20,
  episode: 25,
  otherFilm: 25,
  shuffled: 25,
} as const;
export type PairKind = keyof typeof pairKinds;

const foreignKinds: ReadonlySet<PairKind> = new Set(['episode', 'otherFilm', 'shuffled']);

/** Draws that follow from a seed alone (mulberry32). */
class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  within(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  chance(share: number): boolean {
    return this.unit() < share;
  }

  one<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.unit() * items.length)] ?? items[0];
  }

  /** Normal, with mean 0 and deviation 1. */
  bell(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  /** Log-normal: half of the draws are below the median. */
  around(median: number, spread: number): number {
    return median * Math.exp(spread * this.bell());
  }

  order<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, key: this.unit() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }
}

/** Numbers of sounds begin here, above those of the clauses of a film. */
export const firstSound = 50_000;

interface Clause {
  readonly id: number;
  readonly turn: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly letters: number;
  readonly isSong: boolean;
}

interface Sound {
  readonly id: number;
  readonly atMs: number;
}

interface Film {
  readonly lengthMs: number;
  readonly clauses: readonly Clause[];
  /** Ends of scenes, which are silent; advertisements go there. */
  readonly cuts: readonly number[];
  /** Noises and signs, which some tracks describe. */
  readonly sounds: readonly Sound[];
}

/** The manner of a series or a director: the number of words, and their speed. */
interface Manner {
  readonly lettersPerSecond: number;
  readonly pauseMs: number;
  readonly turnLetters: number;
  /** Weights of scenes: quick exchange, conversation, narration, few words, no words. */
  readonly scenes: readonly [number, number, number, number, number];
  readonly sceneMs: number;
}

function mannerOf(draws: Draws): Manner {
  return {
    lettersPerSecond: draws.within(13, 18),
    pauseMs: draws.within(350, 1100),
    turnLetters: draws.within(24, 42),
    scenes: [
      draws.within(0.1, 0.5),
      draws.within(0.5, 1),
      draws.within(0, 0.2),
      draws.within(0.1, 0.5),
      draws.within(0.05, 0.35),
    ],
    sceneMs: draws.within(45_000, 140_000),
  };
}

/** The pause after a turn, by the scene: its factor, and the share of long ones, of 4 to 25 s. */
const paces = [
  { pause: 0.25, long: 0.01 },
  { pause: 1, long: 0.06 },
  { pause: 0.8, long: 0.03 },
  { pause: 2.5, long: 0.4 },
] as const;

function placeIn(draws: Draws, weights: readonly number[]): number {
  let rest = draws.unit() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return Math.max(0, found);
}

interface TitleSong {
  readonly atMs: number;
  readonly seed: number;
}

/** Writes the speech of a film scene by scene. `firstId` keeps the numbers of two films apart. */
function filmOf(draws: Draws, manner: Manner, lengthMs: number, firstId: number, song: TitleSong | null = null): Film {
  const clauses: Clause[] = [];
  const cuts: number[] = [];
  const sounds: Sound[] = [];
  const hear = (atMs: number) => sounds.push({ id: firstId + firstSound + sounds.length, atMs });
  let turn = 0;
  const say = (fromMs: number, letters: number, rate: number, isSong = false): number => {
    turn += 1;
    const parts = letters > 70 ? 3 : letters > 38 && draws.chance(0.7) ? 2 : 1;
    const shares = Array.from({ length: parts }, () => draws.within(0.6, 1.4));
    const whole = shares.reduce((sum, share) => sum + share, 0);
    let at = fromMs;
    for (const share of shares) {
      const part = (letters * share) / whole;
      const toMs = at + 180 + (1000 * part) / rate;
      clauses.push({ id: firstId + clauses.length, turn, fromMs: at, toMs, letters: part, isSong });
      at = toMs + draws.within(0, 250);
    }
    return at;
  };
  const speechEndMs = lengthMs * (1 - draws.within(0.02, 0.07));
  let at = draws.within(2_000, 60_000);
  let wasSung = song === null;
  while (at < speechEndMs) {
    if (song !== null && !wasSung && at >= song.atMs - 30_000) {
      wasSung = true;
      const tune = new Draws(song.seed);
      let sungMs = Math.max(at, song.atMs);
      for (let line = 0; line < 8; line += 1) {
        say(sungMs, tune.within(20, 36), 10, true);
        sungMs += tune.within(3_800, 6_500);
      }
      at = sungMs + 4_000;
      cuts.push(at - 2_000);
      continue;
    }
    const sceneEndMs = Math.min(speechEndMs, at + Math.max(15_000, draws.around(manner.sceneMs, 0.5)));
    const kind = placeIn(draws, manner.scenes);
    const pace = paces[kind];
    if (pace === undefined) {
      for (; at < sceneEndMs; at += draws.within(4_000, 20_000)) hear(at);
      at = sceneEndMs;
    } else {
      const rate = manner.lettersPerSecond * draws.within(0.85, 1.2) * (kind === 0 ? 1.1 : 1);
      const letters = manner.turnLetters * (kind === 0 ? 0.65 : kind === 2 ? 1.8 : 1);
      while (at < sceneEndMs) {
        at = say(at, Math.min(160, Math.max(4, draws.around(letters, 0.7))), rate * draws.within(0.85, 1.15));
        const pauseMs = draws.chance(pace.long)
          ? draws.within(4_000, 25_000)
          : draws.around(manner.pauseMs * pace.pause, 0.8);
        // Subtitlers give a sound its own cue in a silence; within an exchange there is no room for one.
        if (pauseMs >= 2_000 && draws.chance(0.25)) hear(at + 150);
        at += pauseMs;
      }
    }
    cuts.push(at + 1_000);
    at += draws.within(2_000, 9_000);
  }
  return { lengthMs, clauses: clauses.filter(({ toMs }) => toMs < lengthMs), cuts, sounds };
}

/** The conventions of one subtitler. Times are milliseconds. */
interface Convention {
  readonly frameMs: number;
  readonly leadMs: number;
  readonly looseMs: number;
  readonly lingerMs: number;
  readonly lettersPerSecond: number;
  readonly wording: number;
  readonly leastMs: number;
  readonly mostMs: number;
  readonly gapMs: number;
  readonly chainMs: number;
  readonly mostLetters: number;
  readonly joins: number;
  readonly pairsSpeakers: number;
  readonly drops: number;
  readonly dropsShort: number;
  readonly hasSongs: boolean;
  readonly sounds: number;
  readonly credits: number;
}

function conventionOf(draws: Draws): Convention {
  const describesSounds = draws.chance(0.25);
  return {
    frameMs: draws.one([1, 40, 1001 / 24, 1000 / 24]),
    leadMs: draws.within(-180, 160),
    looseMs: draws.within(30, 170),
    lingerMs: draws.within(0, 700),
    lettersPerSecond: draws.one([12, 15, 17, 20, 25]),
    wording: draws.within(0.75, 1.2),
    leastMs: draws.one([700, 833, 1000, 1300]),
    mostMs: draws.one([5_000, 6_000, 7_000]),
    gapMs: draws.one([0, 1, 40, 80, 83, 120, 200]),
    chainMs: draws.one([0, 0, 300, 480, 1000]),
    mostLetters: draws.one([64, 74, 84]),
    joins: draws.within(0.3, 0.97),
    pairsSpeakers: draws.one([0, 0.2, 0.5, 0.8]),
    drops: draws.within(0, 0.06),
    dropsShort: draws.within(0, 0.4),
    hasSongs: draws.chance(0.7),
    sounds: describesSounds ? draws.within(0.5, 1) : draws.chance(0.3) ? 0.05 : 0,
    credits: draws.one([0, 0, 1, 2, 4]),
  };
}

/** Clauses that one cue carries together. */
function cueTexts(film: Film, style: Convention, draws: Draws): Clause[][] {
  const groups: Clause[][] = [];
  for (const clause of film.clauses) {
    if (clause.isSong && !style.hasSongs) continue;
    if (draws.chance(clause.letters < 12 ? style.dropsShort : style.drops)) continue;
    const open = groups.at(-1);
    const [first, last] = [open?.[0], open?.at(-1)];
    if (open !== undefined && first !== undefined && last !== undefined) {
      const letters = style.wording * (clause.letters + open.reduce((sum, part) => sum + part.letters, 0));
      const fits = letters <= style.mostLetters && clause.toMs - first.fromMs <= style.mostMs;
      const isNear = clause.fromMs - last.toMs < 500;
      const joins = last.turn === clause.turn ? style.joins : letters < 50 ? style.pairsSpeakers : 0;
      if (fits && isNear && draws.chance(joins)) {
        open.push(clause);
        continue;
      }
    }
    groups.push([clause]);
  }
  return groups;
}

/** Writes one track of a film. */
function trackOf(film: Film, style: Convention, draws: Draws): NumberedCue[] {
  const timed = cueTexts(film, style, draws).map((group) => {
    const first = Math.min(...group.map(({ fromMs }) => fromMs));
    const last = Math.max(...group.map(({ toMs }) => toMs));
    const letters = style.wording * group.reduce((sum, part) => sum + part.letters, 0);
    const startMs = first + style.leadMs + style.looseMs * draws.bell();
    const readMs = Math.max(style.leastMs, (1000 * letters) / style.lettersPerSecond);
    const endMs = Math.max(last + style.lingerMs * draws.within(0.3, 1.3), startMs + readMs);
    return { startMs, endMs: Math.min(endMs, startMs + style.mostMs), carries: group.map(({ id }) => id) };
  });
  for (const { id, atMs } of film.sounds) {
    if (draws.chance(style.sounds))
      timed.push({ startMs: atMs, endMs: atMs + draws.within(1_000, 3_000), carries: [id] });
  }
  for (let credit = 0; credit < style.credits; credit += 1) {
    const atMs = credit === 1 ? draws.within(0, 8_000) : film.lengthMs - 6_000 * (credit + 1);
    timed.push({ startMs: atMs, endMs: atMs + 4_500, carries: [] });
  }
  return inFrames(
    timed.sort((a, b) => a.startMs - b.startMs),
    style,
  );
}

/** Ends each cue before the next one begins, and puts both times on frames. */
function inFrames(cues: readonly NumberedCue[], style: Convention): NumberedCue[] {
  const onFrame = (ms: number) => Math.round(Math.round(ms / style.frameMs) * style.frameMs);
  const starts: number[] = [];
  for (const { startMs } of cues) {
    starts.push(Math.max(0, startMs, (starts.at(-1) ?? Number.NEGATIVE_INFINITY) + 450 + style.gapMs));
  }
  return cues.map(({ endMs, carries }, at) => {
    const startMs = starts[at] ?? 0;
    const latestMs = (starts[at + 1] ?? Number.POSITIVE_INFINITY) - style.gapMs;
    const isChained = latestMs - endMs < style.chainMs;
    const lastMs = Math.max(startMs + 400, isChained ? latestMs : Math.min(endMs, latestMs));
    return { startMs: onFrame(startMs), endMs: onFrame(lastMs), carries };
  });
}

/** In the time of another copy. Cues before its begin are lost, because a file has no negative times. */
const retimed = (cues: readonly NumberedCue[], to: (ms: number) => number): NumberedCue[] =>
  cues
    .map(({ startMs, endMs, carries }) => ({ startMs: Math.round(to(startMs)), endMs: Math.round(to(endMs)), carries }))
    .filter(({ startMs }) => startMs >= 0);

const frameRates = [24_000 / 1001, 24, 25] as const;

/** One of the six factors between three rates of frames. */
function factorOf(draws: Draws): number {
  const [from = 24, to = 25] = draws.order(frameRates);
  return from / to;
}

/** From 0.2 to 120 s, early or late; short ones are as likely as long ones. */
const shiftOf = (draws: Draws): number =>
  (draws.chance(0.5) ? 1 : -1) * Math.exp(draws.within(Math.log(200), Math.log(120_000)));

/** One to three breaks of 20 to 180 s at ends of scenes. Returns the time with breaks, and their sum. */
function breaksOf(draws: Draws, film: Film): { readonly to: (ms: number) => number; readonly sumMs: number } {
  const inside = film.cuts.filter((ms) => ms > 0.1 * film.lengthMs && ms < 0.9 * film.lengthMs);
  const count = 1 + Math.floor(draws.within(0, 3));
  const breaks = draws
    .order(inside)
    .slice(0, count)
    .map((atMs) => ({ atMs, lengthMs: draws.within(20_000, 180_000) }));
  return {
    to: (ms) => breaks.reduce((sum, { atMs, lengthMs }) => (ms >= atMs ? sum + lengthMs : sum), ms),
    sumMs: breaks.reduce((sum, { lengthMs }) => sum + lengthMs, 0),
  };
}

/** The same cues in another order: pieces of 15 to 60 s change places, or every cue does. */
function shuffled(cues: readonly NumberedCue[], draws: Draws): NumberedCue[] {
  const pieceMs = draws.chance(0.5) ? draws.within(15_000, 60_000) : 0;
  const pieces: { readonly cues: NumberedCue[]; readonly fromMs: number; toMs: number }[] = [];
  cues.forEach((cue, at) => {
    const toMs = Math.max(cue.endMs, cues[at + 1]?.startMs ?? cue.endMs + 1_000);
    const open = pieces.at(-1);
    if (open !== undefined && cue.startMs - open.fromMs < pieceMs) {
      open.cues.push(cue);
      open.toMs = toMs;
    } else pieces.push({ cues: [cue], fromMs: cue.startMs, toMs });
  });
  let at = cues[0]?.startMs ?? 0;
  return draws.order(pieces).flatMap((piece) => {
    const laterMs = at - piece.fromMs;
    at += piece.toMs - piece.fromMs;
    return retimed(piece.cues, (ms) => ms + laterMs);
  });
}

/** The kinds in an order that mixes them. */
const kindsInTurn: readonly PairKind[] = new Draws(77).order(
  (Object.keys(pairKinds) as PairKind[]).flatMap((kind) => Array.from({ length: pairKinds[kind] }, () => kind)),
);
export const pairCount = kindsInTurn.length;

/** The pair of a seed from 0 to `pairCount`. */
export function trackPair(seed: number): TrackPair {
  const kind = kindsInTurn[seed % pairCount] ?? 'same';
  const draws = new Draws(10_007 * (seed + 1));
  const lengthMs = Math.round(draws.within(600_000, 6_000_000));
  const manner = mannerOf(draws);
  // Half of the series have a title song at about the same place in every episode.
  const song = kind === 'episode' && draws.chance(0.5) ? { atMs: draws.within(30_000, 200_000), seed } : null;
  const film = filmOf(draws, manner, lengthMs, 0, song);
  const [first, second] = [conventionOf(draws), conventionOf(draws)];
  const source = trackOf(film, first, draws);
  const target = trackOf(film, second, draws);
  const pair = { seed, kind, belongs: !foreignKinds.has(kind), lengthMs, source };
  const isMoved = draws.chance(0.5);
  const [factor, shiftMs] = [factorOf(draws), shiftOf(draws)];
  const moved = (cues: readonly NumberedCue[]) => (isMoved ? retimed(cues, (ms) => factor * ms + shiftMs) : cues);
  switch (kind) {
    case 'same':
      return { ...pair, target };
    case 'shifted':
      return { ...pair, target: retimed(target, (ms) => ms + shiftMs) };
    case 'otherRate':
      return { ...pair, target: retimed(target, (ms) => factor * ms) };
    case 'otherRateShifted':
      return { ...pair, target: retimed(target, (ms) => factor * ms + shiftMs) };
    case 'advertisements': {
      const { to, sumMs } = breaksOf(draws, film);
      return draws.chance(0.5)
        ? { ...pair, target: retimed(target, to) }
        : { ...pair, source: retimed(source, to), target, lengthMs: Math.round(lengthMs + sumMs) };
    }
    case 'episode': {
      const next = filmOf(draws, manner, Math.round(lengthMs * draws.within(0.99, 1.01)), 100_000, song);
      return { ...pair, target: moved(trackOf(next, draws.chance(0.5) ? first : second, draws)) };
    }
    case 'otherFilm': {
      const next = filmOf(draws, mannerOf(draws), Math.round(draws.within(600_000, 6_000_000)), 100_000);
      return { ...pair, target: moved(trackOf(next, second, draws)) };
    }
    case 'shuffled':
      return { ...pair, target: moved(shuffled(target, draws)) };
  }
}
