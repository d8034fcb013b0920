import { useEffect, useState } from 'preact/hooks';
import { useHost } from '../host/use-host.ts';

const sides = ['target', 'source'] as const;

export interface CaptionTrack {
  readonly url: string;
  readonly language: string;
  readonly side: (typeof sides)[number];
}

/** Accepted captions as blobs that a `<track>` loads: the element itself could not send the token. */
export function useCaptionTracks(runtimeId: string, isWanted: boolean): readonly CaptionTrack[] {
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
