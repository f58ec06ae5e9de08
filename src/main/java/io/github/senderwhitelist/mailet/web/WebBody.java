package io.github.senderwhitelist.mailet.web;

import spark.Request;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;

/**
 * The bytes of a request's body, read up to a limit.
 *
 * <p>Spark reads a body whole, however long it is. Its stream is reached by reflection, because the
 * types of servlets have other names in James 3.8 than in 3.9.
 */
public final class WebBody {
    private WebBody() {}

    /**
     * Returns the body, or its first {@code limit} bytes if it is longer.
     *
     * @throws WebException if the client does not send all of it, or not as HTTP demands
     */
    public static byte[] read(Request request, int limit) throws WebException {
        byte[] body;
        try {
            body = read(stream(request), limit);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        } catch (IOException | RuntimeException e) {
            throw WebException.badRequest(
                    "The body did not arrive whole", "nothing was changed; send it again");
        }
        // If James' log of requests has read it before, the stream is at its end, and Spark has it.
        byte[] readBefore = body.length == 0 ? request.bodyAsBytes() : null;
        return readBefore == null ? body : readBefore;
    }

    /** Reads as {@link InputStream#readNBytes(int)} does, which makes Jetty wait for one more. */
    private static byte[] read(InputStream stream, int limit) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        while (body.size() < limit) {
            int count = stream.read(buffer, 0, Math.min(buffer.length, limit - body.size()));
            if (count < 0) {
                break;
            }
            body.write(buffer, 0, count);
        }
        return body.toByteArray();
    }

    /** Returns the stream of the web server itself: what Spark wraps it in may read all at once. */
    private static InputStream stream(Request request) throws ReflectiveOperationException {
        Method raw = Request.class.getMethod("raw");
        Class<?> type = raw.getReturnType();
        Class<?> wrapper = Class.forName(type.getName() + "Wrapper", false, type.getClassLoader());
        Object innermost = raw.invoke(request);
        while (wrapper.isInstance(innermost)) {
            innermost = wrapper.getMethod("getRequest").invoke(innermost);
        }
        return (InputStream) type.getMethod("getInputStream").invoke(innermost);
    }
}
