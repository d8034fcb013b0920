import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useHost } from '../host/session.ts';
import { useRemote, useStore } from '../host/use-remote.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { Failed } from '../parts/notice.tsx';
import { languageName } from '../words/language-name.ts';
import { clockTime, mediaTime } from '../words/numbers.ts';
import { type CaptionChoice, type Playback, pressed, rates } from './playback.ts';

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
      // If every line of a side is withheld, the side has no file.
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
  /** True if accepted captions exist, so that they can be laid over the picture. */
  readonly hasCaptions: boolean;
  /** Lines that are being edited; they lie over the picture in the place of accepted captions. */
  readonly edited?: EditedCaptions;
}

interface EditedCaptions {
  readonly languages: Readonly<Record<CaptionTrack['side'], string>>;
  readonly textAt: (timeMs: number, side: CaptionTrack['side']) => string | null;
}

/** The line at the time of the player, as it is in the editor. */
function Overlay({ control, edited }: { readonly control: Playback; readonly edited: EditedCaptions }) {
  const captions = useStore(control.store, (context) => context.captions);
  const timeMs = useStore(control.store, (context) => context.timeMs);
  const text = captions === 'off' ? null : edited.textAt(timeMs, captions);
  if (captions === 'off' || text === null) return null;
  return (
    <p class="overlay" lang={edited.languages[captions]}>
      <span>{text}</span>
    </p>
  );
}

/**
 * Plays the source by a grant of ten minutes. When that is over the player asks for another one and goes on.
 *
 * The controls are elements of the browser in one bar. Libraries of controls write styles and markup into the page (media-chrome,
 * Plyr), which the Content-Security-Policy and the trusted types of this page refuse.
 */
export function Player({ runtimeId, control, hasCaptions, edited }: PlayerProps) {
  const host = useHost();
  const box = useRef<HTMLElement>(null);
  const { remote, reload } = useRemote(() => host.playbackUrl(runtimeId), [host, runtimeId]);
  const tracks = useCaptionTracks(runtimeId, hasCaptions);
  usePlayerKeys(control, box);
  return (
    <section ref={box} class="player" aria-label="Player" data-captions={edited !== undefined || tracks.length > 0}>
      <div class="screen">
        {remote.state === 'ready' ? (
          <Screen
            url={remote.value.url}
            isSound={remote.value.grant.mimeType.startsWith('audio/')}
            control={control}
            tracks={tracks}
            onExpired={reload}
          />
        ) : remote.state === 'failed' ? (
          <Failed error={remote.error} onRetry={reload} />
        ) : (
          <div class="screen-wait" aria-busy="true">
            <span class="sr">Loading the player</span>
          </div>
        )}
        {edited !== undefined && <Overlay control={control} edited={edited} />}
      </div>
      <Controls
        control={control}
        shown={edited === undefined ? tracks : sides.map((side) => ({ side, language: edited.languages[side] }))}
        box={box}
      />
    </section>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input:not([type="range"]), textarea, select, dialog') !== null;

const isPressing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('button, a, summary') !== null;

function toggleFullScreen(box: HTMLElement | null): void {
  // Browsers refuse where a frame or a phone allows none: nothing is lost then.
  if (document.fullscreenElement !== null) document.exitFullscreen().catch(() => undefined);
  else box?.requestFullscreen?.().catch(() => undefined);
}

/** The keys of the player work wherever the focus is: a new view has it outside of the player. */
function usePlayerKeys(control: Playback, box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // A space on a button presses that button.
      if (event.key === ' ' && isPressing(event.target)) return;
      if (event.key.toLowerCase() === 'f') toggleFullScreen(box.current);
      else if (!pressed(event.key, control)) return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [control]);
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
  const captions = useStore(control.store, (context) => context.captions);
  const since = useRef(0);
  useEffect(() => {
    since.current = performance.now();
    setBroken(false);
    control.attach(element.current);
    return () => control.attach(null);
  }, [url, control]);
  useEffect(() => {
    for (const track of element.current?.textTracks ?? []) {
      track.mode = tracks.some(({ side, language }) => side === captions && track.label === labelOf({ side, language }))
        ? 'showing'
        : 'disabled';
    }
  }, [url, tracks, captions]);
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
        onClick={control.toggle}
        onDurationChange={({ currentTarget }) => control.measured(currentTarget.duration * 1000)}
        aria-label="The source"
      >
        {tracks.map(({ url: at, language, side }) => (
          <track key={at} kind="captions" src={at} srclang={language} label={labelOf({ language, side })} />
        ))}
      </video>
      {isBroken && <p class="bad-text">This browser cannot play the source. Its evidence is not affected.</p>}
    </>
  );
}

const labelOf = ({ language, side }: Pick<CaptionTrack, 'language' | 'side'>): string =>
  side === 'source' ? `${languageName(language)}, as spoken` : languageName(language);

interface ControlsProps {
  readonly control: Playback;
  /** The captions that can lie over the picture. */
  readonly shown: readonly Pick<CaptionTrack, 'side' | 'language'>[];
  readonly box: RefObject<HTMLElement | null>;
}

function Controls({ control, shown, box }: ControlsProps) {
  const { speed, rate, timeMs, durationMs, volume, isMuted, captions, loop, frame } = useStore(
    control.store,
    (context) => context,
  );
  const frameWords = `${frame.ms.toFixed(frame.ms % 1 === 0 ? 0 : 1)} ms${frame.isMeasured ? '' : ', assumed'}`;
  const isShuttling = speed !== 0 && speed !== rate;
  return (
    <div class="controls">
      <div class="control-row">
        <input
          type="range"
          class="seek"
          min={0}
          max={Math.max(durationMs, 1)}
          step={100}
          value={timeMs}
          aria-label="Time"
          aria-valuetext={clockTime(timeMs)}
          onInput={({ currentTarget }) => control.seek(Number(currentTarget.value))}
        />
        <p class="control-words mono">
          <span class="time-now">{clockTime(timeMs)}</span>
          {durationMs > 0 && <span class="quiet">/ {mediaTime(Math.round(durationMs))}</span>}
        </p>
      </div>
      <div class="control-row">
        <button
          type="button"
          class="play"
          onClick={control.toggle}
          title={speed === 0 ? 'Play (space)' : 'Pause (space or K)'}
          aria-label={speed === 0 ? 'Play (space)' : 'Pause (space or K)'}
        >
          <Icon name={speed === 0 ? 'play' : 'pause'} />
        </button>
        <IconButton icon="chevron-left" label={`One frame back, ${frameWords} (,)`} onClick={() => control.step(-1)} />
        <IconButton
          icon="chevron-right"
          label={`One frame forward, ${frameWords} (.)`}
          onClick={() => control.step(1)}
        />
        {isShuttling && (
          <span class="quiet">
            {speed < 0 ? 'back' : 'forward'} {Math.abs(speed)}×
          </span>
        )}
        {loop !== null && (
          <button type="button" onClick={() => control.loopOver(null)}>
            End the loop
          </button>
        )}
        <span class="control-end">
          <IconButton
            icon={isMuted ? 'volume-x' : 'volume-2'}
            label={isMuted ? 'Sound on (M)' : 'Sound off (M)'}
            onClick={() => control.setSound({ isMuted: !isMuted })}
          />
          <input
            type="range"
            class="volume"
            min={0}
            max={1}
            step={0.05}
            value={isMuted ? 0 : volume}
            aria-label="Volume"
            onInput={({ currentTarget }) => control.setSound({ volume: Number(currentTarget.value), isMuted: false })}
          />
          <select
            class="speed"
            aria-label="Speed"
            title="Speed"
            value={String(rate)}
            onChange={({ currentTarget }) => control.setRate(Number(currentTarget.value))}
          >
            {rates.map((each) => (
              <option key={each} value={String(each)}>
                {each}×
              </option>
            ))}
          </select>
          {shown.length > 0 && (
            <select
              aria-label="Captions (C)"
              title="Captions (C)"
              value={shown.some(({ side }) => side === captions) ? captions : 'off'}
              onChange={({ currentTarget }) => control.showCaptions(currentTarget.value as CaptionChoice)}
            >
              {shown.map((track) => (
                <option key={track.side} value={track.side}>
                  {labelOf(track)}
                </option>
              ))}
              <option value="off">No captions</option>
            </select>
          )}
          <IconButton icon="maximize" label="Full screen (F)" onClick={() => toggleFullScreen(box.current)} />
        </span>
      </div>
    </div>
  );
}
