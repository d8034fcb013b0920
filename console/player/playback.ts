import { createStore } from '@xstate/store';
import type { Stretch } from '../timeline/ticks.ts';

/** Taken until two neighbouring frames were seen: the frames of most video on the web are no longer. */
export const assumedFrameMs = 40;

const speeds = [-8, -4, -2, -1, 0, 1, 2, 4, 8] as const;

export type Playback = ReturnType<typeof playback>;

interface Playing {
  readonly timeMs: number;
  /** 0 while it stands; below 0 backwards. */
  readonly speed: number;
  readonly loop: Stretch | null;
  /** The length of a frame in ms, and whether it was measured. */
  readonly frame: { readonly ms: number; readonly isMeasured: boolean };
}

const makeStore = (timeMs: number) =>
  createStore({
    context: { timeMs, speed: 0, loop: null, frame: { ms: assumedFrameMs, isMeasured: false } } as Playing,
    on: { changed: (context, { change }: { change: Partial<Playing> }) => ({ ...context, ...change }) },
  });

/** What plays: a media element that comes and goes, with a shuttle in both directions, single frames and a loop. */
export function playback(startMs = 0) {
  const store = makeStore(startMs);
  let media: HTMLVideoElement | null = null;
  let ticking = 0;
  let lastFrame: number | null = null;
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
      if (media.ended) pause();
      else ticking = requestAnimationFrame(tick(at));
    };

  const run = (speed: number): void => {
    cancelAnimationFrame(ticking);
    change({ speed });
    // Who presses before the media is there, or while it is asked for again, gets what was pressed as soon as it comes.
    if (media === null) return;
    if (speed > 0) {
      media.playbackRate = speed;
      media.play().catch(() => change({ speed: 0 }));
    } else media.pause();
    if (speed !== 0) ticking = requestAnimationFrame(tick(performance.now()));
  };

  const pause = (): void => run(0);

  /** One step of the shuttle: L faster forwards, J faster backwards. */
  const shuttle = (direction: 1 | -1): void => {
    const { speed } = now();
    const at = speeds.indexOf(speed as (typeof speeds)[number]);
    const next = speeds[Math.min(speeds.length - 1, Math.max(0, at + direction))] ?? 0;
    // Against the way that it goes it turns at once.
    run(speed * direction < 0 ? direction : next);
  };

  const toggle = (): void => run(now().speed === 0 ? 1 : 0);

  const step = (frames: number): void => {
    pause();
    seek(now().timeMs + frames * now().frame.ms);
  };

  const loopOver = (loop: Stretch | null): void => {
    change({ loop });
    if (loop === null) return;
    seek(loop.startMs);
    run(1);
  };

  /** Learns the length of a frame from neighbouring frames as they are shown. */
  const watchFrames = (element: HTMLVideoElement): void => {
    element.requestVideoFrameCallback?.((_, { mediaTime }) => {
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
    media = element;
    if (element === null) return;
    watchFrames(element);
    const { timeMs, speed } = now();
    if (timeMs > 0) element.currentTime = timeMs / 1000;
    if (speed !== 0) run(speed);
  };

  return { store, seek, shuttle, pause, toggle, step, loopOver, attach };
}

/** The keys of a player, as editors have them. Returns whether the key is one. */
export function pressed(key: string, { shuttle, pause, toggle, step }: Playback): boolean {
  const deeds: Readonly<Record<string, () => void>> = {
    j: () => shuttle(-1),
    k: pause,
    l: () => shuttle(1),
    ' ': toggle,
    ',': () => step(-1),
    '.': () => step(1),
  };
  const deed = deeds[key.toLowerCase()];
  deed?.();
  return deed !== undefined;
}
