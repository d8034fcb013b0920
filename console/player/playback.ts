import { createStore } from '@xstate/store';
import type { Stretch } from '../timeline/ticks.ts';

/** Taken until two neighboring frames were seen: the frames of most video on the web are no longer. */
const assumedFrameMs = 40;

const speeds = [-8, -4, -2, -1, 0, 1, 2, 4, 8] as const;

export type Playback = ReturnType<typeof playback>;

/** Speeds at which people listen; the shuttle goes faster. */
export const rates = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

/** The captions that lie over the picture. */
export type CaptionChoice = 'target' | 'source' | 'off';

interface Playing {
  readonly timeMs: number;
  /** The length of the media in ms; 0 until the browser has read it. */
  readonly durationMs: number;
  /** 0 while it is paused; below 0 backwards. */
  readonly speed: number;
  /** The speed of Play, without the shuttle. */
  readonly rate: number;
  /** From 0 to 1. */
  readonly volume: number;
  readonly isMuted: boolean;
  readonly captions: CaptionChoice;
  readonly loop: Stretch | null;
  /** Where Play ends by itself, in ms; null if it goes on. */
  readonly untilMs: number | null;
  /** The length of a frame in ms, and whether it was measured. */
  readonly frame: { readonly ms: number; readonly isMeasured: boolean };
}

const makeStore = (timeMs: number) =>
  createStore({
    context: {
      timeMs,
      durationMs: 0,
      speed: 0,
      rate: 1,
      volume: 1,
      isMuted: false,
      captions: 'target',
      loop: null,
      untilMs: null,
      frame: { ms: assumedFrameMs, isMeasured: false },
    } as Playing,
    on: { changed: (context, { change }: { change: Partial<Playing> }) => ({ ...context, ...change }) },
  });

/** Playback of a media element that comes and goes, with a shuttle in both directions, single frames and a loop. */
export function playback(startMs = 0) {
  const store = makeStore(startMs);
  let media: HTMLVideoElement | null = null;
  let ticking = 0;
  let lastFrame: number | null = null;
  let watching = 0;
  const change = (to: Partial<Playing>) => store.send({ type: 'changed', change: to });
  const now = (): Playing => store.getSnapshot().context;

  const seek = (ms: number): void => {
    const timeMs = Math.max(0, ms);
    if (media !== null) media.currentTime = timeMs / 1000;
    lastFrame = null;
    change({ timeMs });
  };

  /** Follows the media, pulls it back at the end of a loop, and runs it backwards, which no browser does by itself. */
  const tick =
    (since: number) =>
    (at: number): void => {
      const { speed, loop, timeMs } = now();
      if (media === null || speed === 0) return;
      if (speed < 0) {
        if (!media.seeking) seek(timeMs + speed * (at - since));
        if (now().timeMs <= 0) {
          pause();
          return;
        }
      } else change({ timeMs: media.currentTime * 1000 });
      if (loop !== null && (now().timeMs >= loop.endMs || now().timeMs < loop.startMs)) seek(loop.startMs);
      if (media.ended || isOver()) pause();
      else ticking = requestAnimationFrame(tick(at));
    };

  const isOver = (): boolean => {
    const { untilMs, timeMs } = now();
    return untilMs !== null && timeMs >= untilMs;
  };

  const run = (speed: number, untilMs: number | null = null): void => {
    change({ speed, untilMs });
    // A press before the media is there, or while it is read again, takes effect as soon as it comes.
    if (media === null) return;
    cancelAnimationFrame(ticking);
    if (speed > 0) {
      media.playbackRate = speed;
      // A pause or a turn ends a play that has not begun, and what was pressed since stays.
      media.play().catch(() => now().speed === speed && change({ speed: 0 }));
    } else media.pause();
    if (speed !== 0) ticking = requestAnimationFrame(tick(performance.now()));
  };

  const pause = (): void => run(0);

  /** One step of the shuttle: L faster forwards, J faster backwards. */
  const shuttle = (direction: 1 | -1): void => {
    const { speed } = now();
    const next = direction > 0 ? speeds.find((each) => each > speed) : speeds.findLast((each) => each < speed);
    // Against the way that it goes it turns at once.
    run(speed * direction < 0 ? direction : (next ?? speed));
  };

  const toggle = (): void => run(now().speed === 0 ? now().rate : 0);

  /** Sets the speed of Play; what plays goes on at it. */
  const setRate = (rate: number): void => {
    change({ rate });
    if (now().speed > 0) run(rate);
  };

  const setSound = (change: { readonly volume?: number; readonly isMuted?: boolean }): void => {
    store.send({ type: 'changed', change });
    applySound();
  };

  const applySound = (): void => {
    const { volume, isMuted } = now();
    if (media !== null) [media.volume, media.muted] = [volume, isMuted];
  };

  const showCaptions = (captions: CaptionChoice): void => change({ captions });

  const step = (frames: number): void => {
    pause();
    seek(now().timeMs + frames * now().frame.ms);
  };

  const loopOver = (loop: Stretch | null): void => {
    change({ loop });
    if (loop === null) return;
    seek(loop.startMs);
    run(now().rate);
  };

  /** Learns the length of a frame from neighboring frames as they are shown. */
  const watchFrames = (element: HTMLVideoElement): void => {
    if (element.requestVideoFrameCallback === undefined) return;
    watching = element.requestVideoFrameCallback((_, { mediaTime }) => {
      const ms = lastFrame === null ? 0 : (mediaTime - lastFrame) * 1000;
      const { frame, speed } = now();
      if (speed === 1 && ms >= 4 && ms <= 200 && (!frame.isMeasured || ms < frame.ms))
        change({ frame: { ms, isMeasured: true } });
      lastFrame = mediaTime;
      if (media === element) watchFrames(element);
    });
  };

  const attach = (element: HTMLVideoElement | null): void => {
    cancelAnimationFrame(ticking);
    // The same element comes again with another grant: it is watched once.
    media?.cancelVideoFrameCallback?.(watching);
    media = element;
    if (element === null) return;
    watchFrames(element);
    applySound();
    const { timeMs, speed } = now();
    if (timeMs > 0) element.currentTime = timeMs / 1000;
    if (speed !== 0) run(speed);
  };

  /** Plays a stretch once. */
  const playOver = ({ startMs, endMs }: Stretch): void => {
    change({ loop: null });
    seek(startMs);
    run(now().rate, endMs);
  };

  /** Takes the length of the media, once the browser has read it. */
  const measured = (durationMs: number): void => {
    if (Number.isFinite(durationMs)) change({ durationMs });
  };

  const skip = (ms: number): void => seek(now().timeMs + ms);

  return {
    store,
    seek,
    skip,
    shuttle,
    pause,
    toggle,
    step,
    loopOver,
    playOver,
    attach,
    measured,
    setRate,
    setSound,
    showCaptions,
  };
}

/** The keys of the player and what they do, in the order in which a person looks for them. */
export const playerKeys: readonly (readonly [keys: string, words: string])[] = [
  ['Space', 'play or pause'],
  ['J K L', 'back, pause, forward; each further press is faster'],
  [', .', 'one frame back, one frame forward'],
  ['M', 'sound off or on'],
  ['C', 'next captions, or none'],
  ['F', 'full screen'],
];

const choices: readonly CaptionChoice[] = ['target', 'source', 'off'];

/** Does what a key of the player means, as in editors. Returns whether the key is one. */
export function pressed(key: string, control: Playback): boolean {
  const { shuttle, pause, toggle, step, setSound, showCaptions, store } = control;
  const { isMuted, captions } = store.getSnapshot().context;
  const actions: Readonly<Record<string, () => void>> = {
    j: () => shuttle(-1),
    k: pause,
    l: () => shuttle(1),
    ' ': toggle,
    ',': () => step(-1),
    '.': () => step(1),
    m: () => setSound({ isMuted: !isMuted }),
    c: () => showCaptions(choices[(choices.indexOf(captions) + 1) % choices.length] ?? 'off'),
  };
  const action = actions[key.toLowerCase()];
  action?.();
  return action !== undefined;
}
