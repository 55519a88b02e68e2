package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyWriter;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.sallyport.web.JsonUtf8Writer;

/** Writes JSON representations as response bodies. */
@Provider
public class JsonBodyWriter implements MessageBodyWriter<ObjectNode> {
    @Override
    public boolean isWriteable(Class<?> type, Type generic, Annotation[] annotations, MediaType mediaType) {
        return ObjectNode.class.isAssignableFrom(type);
    }

    @Override
    public void writeTo(
            ObjectNode json,
            Class<?> type,
            Type generic,
            Annotation[] annotations,
            MediaType mediaType,
            MultivaluedMap<String, Object> headers,
            OutputStream out)
            throws IOException {
        JsonUtf8Writer.write(json, out);
    }
}
