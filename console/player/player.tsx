import { useEffect, useRef, useState } from 'preact/hooks';
import { useHost } from '../host/session.ts';
import { useRemote, useStore } from '../host/use-remote.ts';
import { RemotePart } from '../parts/notice.tsx';
import { languageName } from '../words/language-name.ts';
import { clockTime } from '../words/numbers.ts';
import type { Playback } from './playback.ts';

const sides = ['target', 'source'] as const;

interface CaptionTrack {
  readonly url: string;
  readonly language: string;
  readonly side: (typeof sides)[number];
}

/** Accepted captions as blobs that a `<track>` loads: the element itself could not send the token. */
function useCaptionTracks(runtimeId: string, isWanted: boolean): readonly CaptionTrack[] {
  const host = useHost();
  const [tracks, setTracks] = useState<readonly CaptionTrack[]>([]);
  useEffect(() => {
    if (!isWanted) return;
    const made: string[] = [];
    let isGone = false;
    const load = async (side: CaptionTrack['side']): Promise<CaptionTrack[]> => {
      // A side of which every line is withheld is no file.
      const text = await host.captions.webvtt(runtimeId, side).catch(() => null);
      if (text === null || isGone) return [];
      const [, language = 'und'] = /^(?:source|target) language (\S+)$/m.exec(text) ?? [];
      const url = URL.createObjectURL(new Blob([text], { type: 'text/vtt' }));
      made.push(url);
      return [{ url, language, side }];
    };
    Promise.all(sides.map(load)).then((loaded) => {
      if (!isGone) setTracks(loaded.flat());
    });
    return () => {
      isGone = true;
      // Captions that are withdrawn do not stay over the picture.
      setTracks([]);
      made.forEach(URL.revokeObjectURL);
    };
  }, [host, runtimeId, isWanted]);
  return tracks;
}

interface PlayerProps {
  readonly runtimeId: string;
  readonly control: Playback;
  /** Whether accepted captions exist, so that they can be laid over the picture. */
  readonly hasCaptions: boolean;
}

/** Plays the source by a grant of ten minutes. When that is over the player asks for another one and goes on. */
export function Player({ runtimeId, control, hasCaptions }: PlayerProps) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.playbackUrl(runtimeId), [host, runtimeId]);
  const tracks = useCaptionTracks(runtimeId, hasCaptions);
  return (
    <section class="player" aria-label="Player">
      <RemotePart of={remote} what="leave to play the source" onRetry={reload}>
        {({ url, grant }) => (
          <Screen
            url={url}
            isSound={grant.mimeType.startsWith('audio/')}
            control={control}
            tracks={tracks}
            onExpired={reload}
          />
        )}
      </RemotePart>
      <Controls control={control} />
    </section>
  );
}

interface ScreenProps {
  readonly url: string;
  readonly isSound: boolean;
  readonly control: Playback;
  readonly tracks: readonly CaptionTrack[];
  readonly onExpired: () => void;
}

/** A grant that failed as soon as it was fresh is not asked for again by itself. */
const freshMs = 5_000;

function Screen({ url, isSound, control, tracks, onExpired }: ScreenProps) {
  const element = useRef<HTMLVideoElement>(null);
  const [isBroken, setBroken] = useState(false);
  const since = useRef(0);
  useEffect(() => {
    since.current = performance.now();
    setBroken(false);
    control.attach(element.current);
    return () => control.attach(null);
  }, [url, control]);
  const fail = () => {
    if (performance.now() - since.current > freshMs) onExpired();
    else setBroken(true);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: captions come as tracks once they are accepted */}
      <video
        ref={element}
        src={url}
        preload="metadata"
        playsInline
        data-sound={isSound}
        onError={fail}
        aria-label="The source"
      >
        {tracks.map(({ url: at, language, side }) => (
          <track
            key={at}
            kind="captions"
            src={at}
            srclang={language}
            label={`${languageName(language)}, ${side}`}
            default={side === 'target'}
          />
        ))}
      </video>
      {isBroken && <p class="bad-text">This browser cannot play the source. Its evidence is not touched by that.</p>}
    </>
  );
}

function Controls({ control }: { readonly control: Playback }) {
  const { speed, timeMs, loop, frame } = useStore(control.store, (context) => context);
  const speedWords = speed === 0 ? 'paused' : `${speed < 0 ? 'back' : 'plays'} ${Math.abs(speed)}×`;
  const frameWords = `${frame.ms.toFixed(frame.ms % 1 === 0 ? 0 : 1)} ms${frame.isMeasured ? '' : ', assumed'}`;
  return (
    <div class="controls">
      <div class="control-row">
        <button
          type="button"
          onClick={() => control.shuttle(-1)}
          aria-label="Back, faster with every press (J)"
          title="Back (J)"
        >
          ◀◀
        </button>
        <button
          type="button"
          onClick={() => control.step(-1)}
          aria-label="One frame back (comma)"
          title={`One frame back, ${frameWords} (,)`}
        >
          ◂|
        </button>
        <button
          type="button"
          class="play"
          onClick={control.toggle}
          aria-label={speed === 0 ? 'Play (space)' : 'Pause (space or K)'}
        >
          {speed === 0 ? '▶' : '❚❚'}
        </button>
        <button
          type="button"
          onClick={() => control.step(1)}
          aria-label="One frame on (full stop)"
          title={`One frame on, ${frameWords} (.)`}
        >
          |▸
        </button>
        <button
          type="button"
          onClick={() => control.shuttle(1)}
          aria-label="On, faster with every press (L)"
          title="On (L)"
        >
          ▶▶
        </button>
      </div>
      <p class="control-words">
        <span class="mono time-now">{clockTime(timeMs)}</span> <span class="quiet">{speedWords}</span>
        {loop !== null && (
          <button type="button" onClick={() => control.loopOver(null)}>
            End the loop
          </button>
        )}
      </p>
    </div>
  );
}
