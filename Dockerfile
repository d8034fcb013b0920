# A host in a container. Build: docker build -t media-study .
# Run, on the network of the machine, because a host listens on loopback alone:
#   docker run --rm --network host -v media-study:/data media-study
FROM node:24-trixie-slim AS package
WORKDIR /source
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node scripts/build.mjs && node scripts/build-types.mjs
RUN mkdir /package && npm pack --ignore-scripts --pack-destination /package

FROM node:24-trixie-slim
# Video hosts change often, and the yt-dlp of a stable Debian does not follow them; that of its backports does.
RUN echo 'deb http://deb.debian.org/debian trixie-backports main' > /etc/apt/sources.list.d/backports.list \
  && apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg util-linux \
  && apt-get install -y --no-install-recommends -t trixie-backports yt-dlp \
  && rm -rf /var/lib/apt/lists/*
COPY --from=package /package /package
RUN npm install --global --ignore-scripts --no-audit --no-fund /package/*.tgz onnxruntime-node@1.30.0 \
  && npm cache clean --force
RUN mkdir -m 0700 /data && chown node:node /data
USER node
VOLUME /data
ENTRYPOINT ["media-study"]
CMD ["serve", "--data-root", "/data"]
