package org.sallyport.connector.bean;

/** A value does not match its type. The message gives the path of the value, and no class name. */
final class BeanMappingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BeanMappingException(String path, String reason) {
        super(path + " " + reason);
    }
}
