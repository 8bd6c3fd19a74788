package org.mindtorch;

/** An error of the library; its kind is its name in Python ("IndexError"). */
public class MindTorchException extends RuntimeException {
  private final String kind;

  public MindTorchException(String kind, String message) {
    super(message);
    this.kind = kind;
  }

  public String kind() {
    return kind;
  }
}
