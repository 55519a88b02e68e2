package org.sallyport.identity.token;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Fetches a document of an issuer or sends a form to it, over TLS or from this machine only. Follows no redirects;
 * limits the size of the response and the total time, regardless of the server's behavior. Thread-safe.
 */
final class IssuerHttpClient {
    /** Short, because request threads may wait for it. */
    static final Duration TIMEOUT = Duration.ofSeconds(3);

    static final int MAX_BODY_BYTES = 256 << 10;
    private static final int OK = 200;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(TIMEOUT)
            .build();

    /** A response of the issuer. */
    record IssuerResponse(int status, String body) {}

    /**
     * Returns whether keys may be fetched from this URL: an attacker on the network path cannot change the response.
     */
    static boolean isAllowedUrl(URI url) {
        String host = url.getHost();
        if (host == null || host.isEmpty() || url.getRawUserInfo() != null || url.getRawFragment() != null) {
            return false;
        }
        return "https".equalsIgnoreCase(url.getScheme())
                || "http".equalsIgnoreCase(url.getScheme()) && isLoopback(host);
    }

    /** Accepts only hosts that need no name resolution, because the address of a name may change. */
    private static boolean isLoopback(String host) {
        boolean literal = host.matches("[0-9.]+") || host.startsWith("[");
        try {
            return host.equalsIgnoreCase("localhost")
                    || literal && InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** Returns the document. Throws {@link IOException} with the reason on failure. */
    String get(URI url) throws IOException {
        if (!isAllowedUrl(url)) {
            throw new IOException("'" + url + "' is neither an https URL nor a loopback address");
        }
        IssuerResponse reply =
                send(url, HttpRequest.newBuilder(url).header("Accept", "application/json, application/jwk-set+json"));
        if (reply.status() != OK) {
            throw new IOException(url + " answered with status " + reply.status());
        }
        return reply.body();
    }

    /**
     * Posts a form and returns the response with any status. Throws {@link IOException} with the reason when there is
     * no response.
     */
    IssuerResponse post(URI url, String form, Optional<String> authorization) throws IOException {
        if (!isAllowedUrl(url)) {
            throw new IOException("'" + url + "' is neither an https URL nor a loopback address");
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .header("Accept", "application/json")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        authorization.ifPresent(text -> request.header("Authorization", text));
        return send(url, request);
    }

    private IssuerResponse send(URI url, HttpRequest.Builder request) throws IOException {
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request.timeout(TIMEOUT).build(), info -> new BoundedBodySubscriber(MAX_BODY_BYTES));
        try {
            HttpResponse<byte[]> response = answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            return new IssuerResponse(response.statusCode(), new String(response.body(), StandardCharsets.UTF_8));
        } catch (TimeoutException e) {
            throw new IOException(url + " did not answer within " + TIMEOUT.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw new IOException(url + " cannot be read: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            answer.cancel(true);
        }
    }

    /** Collects a body and fails when it exceeds the maximum size. */
    private static final class BoundedBodySubscriber implements HttpResponse.BodySubscriber<byte[]> {
        private final int maxBytes;
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Flow.Subscription subscription = new Flow.Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
        };

        BoundedBodySubscriber(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> parts) {
            for (ByteBuffer part : parts) {
                if (bytes.size() + part.remaining() > maxBytes) {
                    subscription.cancel();
                    body.completeExceptionally(new IOException("the body has more than " + maxBytes + " bytes"));
                    return;
                }
                byte[] copy = new byte[part.remaining()];
                part.get(copy);
                bytes.writeBytes(copy);
            }
        }

        @Override
        public void onError(Throwable failure) {
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            body.complete(bytes.toByteArray());
        }
    }
}
