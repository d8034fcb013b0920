// Runs inside a page, by its text: nothing outside of these functions is known there.

/** Loads media and reports success, or the reason of the failure. */
export async function load({ url, crossOrigin }) {
  const video = document.createElement('video');
  if (crossOrigin) video.crossOrigin = 'anonymous';
  const outcome = new Promise((resolve) => {
    video.onloadedmetadata = () => resolve('loaded');
    video.onerror = () => resolve(`error ${video.error.code}`);
  });
  video.src = url;
  document.body.append(video);
  return outcome;
}

/** Plays a film for a while, goes on elsewhere, and looks at its pictures. */
export async function play({ url, crossOrigin, seekTo }) {
  const video = document.createElement('video');
  if (crossOrigin) video.crossOrigin = 'anonymous';
  video.muted = true;
  video.src = url;
  document.body.append(video);
  const until = (holds, what) =>
    new Promise((resolve, reject) => {
      const end = performance.now() + 20_000;
      const look = () => {
        if (video.error) reject(new Error(`media error ${video.error.code}: ${video.error.message}`));
        else if (holds()) resolve();
        else if (performance.now() > end) reject(new Error(`waited in vain for ${what}`));
        else setTimeout(look, 20);
      };
      look();
    });
  const colors = () => {
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    const context = canvas.getContext('2d');
    context.drawImage(video, 0, 0);
    // Throws if the browser holds the media back from the page.
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  };
  await until(() => video.readyState >= 1, 'metadata');
  await video.play();
  await until(() => video.currentTime > 1, 'one second');
  const playedTo = video.currentTime;
  const colorsThere = colors();
  video.currentTime = seekTo;
  await until(() => !video.seeking && video.currentTime > seekTo + 0.5, 'half a second behind the seek');
  const seen = {
    durationMs: Math.round(video.duration * 1000),
    width: video.videoWidth,
    height: video.videoHeight,
    playedTo,
    resumedAt: video.currentTime,
    colors: [colorsThere, colors()],
    frames: video.getVideoPlaybackQuality().totalVideoFrames,
  };
  video.removeAttribute('src');
  video.load();
  video.remove();
  return seen;
}
